package io.portcullis.evaluator.runtime;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a waPC or WASI guest. {@code auditAnnotations} and {@code warnings} are null if the guest returned
 * none, because the wire format distinguishes absent from empty.
 *
 * @param mutatedObject JSON of the whole object after mutation; never {@code null} in JSON
 */
public record ValidationResponse(
        boolean accepted,
        Optional<String> message,
        Optional<Integer> code,
        Optional<byte[]> mutatedObject,
        @Nullable Map<String, String> auditAnnotations,
        @Nullable List<String> warnings) {}
