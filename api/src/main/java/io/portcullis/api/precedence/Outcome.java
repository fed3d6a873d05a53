package io.portcullis.api.precedence;

import java.util.Optional;

/**
 * What precedence means for one policy.
 *
 * @param notice what its author should know: that something asked for was not done
 */
public record Outcome(Loss loss, Optional<String> notice) {

    public static final Outcome UNTOUCHED = new Outcome(new Loss.Nothing(), Optional.empty());

    static Outcome of(Loss loss) {
        return new Outcome(loss, Optional.empty());
    }
}
