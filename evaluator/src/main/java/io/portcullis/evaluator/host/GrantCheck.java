package io.portcullis.evaluator.host;

import java.util.List;
import java.util.Optional;

/** Checks a policy's capability patterns at load time. */
@FunctionalInterface
public interface GrantCheck {

    /** Returns the problem of the first invalid pattern, for the operator; empty if all patterns are valid. */
    Optional<String> problem(List<String> patterns);
}
