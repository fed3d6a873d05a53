package io.portcullis.evaluator.host;

import java.util.List;
import java.util.Optional;

/** Decides at load whether a policy's capability patterns can be understood. */
@FunctionalInterface
public interface GrantCheck {

    /** What is wrong with the first bad pattern, for the operator; empty when all are fine. */
    Optional<String> problem(List<String> patterns);
}
