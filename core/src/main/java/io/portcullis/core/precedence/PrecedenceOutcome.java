package io.portcullis.core.precedence;

import java.util.Optional;

/**
 * The result of precedence for one policy.
 *
 * @param notice a message to the author that a requested precedence has no effect
 */
public record PrecedenceOutcome(Loss loss, Optional<String> notice) {

    public static final PrecedenceOutcome UNTOUCHED = new PrecedenceOutcome(new Loss.Nothing(), Optional.empty());

    static PrecedenceOutcome of(Loss loss) {
        return new PrecedenceOutcome(loss, Optional.empty());
    }
}
