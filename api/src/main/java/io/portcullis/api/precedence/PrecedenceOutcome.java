package io.portcullis.api.precedence;

import java.util.Optional;

/**
 * What precedence means for one policy.
 *
 * @param notice what its author should know: that something asked for was not done
 */
public record PrecedenceOutcome(Loss loss, Optional<String> notice) {

    public static final PrecedenceOutcome UNTOUCHED = new PrecedenceOutcome(new Loss.Nothing(), Optional.empty());

    static PrecedenceOutcome of(Loss loss) {
        return new PrecedenceOutcome(loss, Optional.empty());
    }
}
