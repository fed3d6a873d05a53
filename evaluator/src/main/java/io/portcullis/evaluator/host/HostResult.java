package io.portcullis.evaluator.host;

import java.util.function.Supplier;

/** The result of a host request as a value that can be cached and shared by several callers. */
public sealed interface HostResult {

    record Success(byte[] answer) implements HostResult {}

    record Failure(String message) implements HostResult {}

    static HostResult of(Supplier<byte[]> request) {
        try {
            return new Success(request.get());
        } catch (HostCallException e) {
            return new Failure(String.valueOf(e.getMessage()));
        }
    }

    default byte[] orThrow() {
        return switch (this) {
            case Success(var answer) -> answer;
            case Failure(var message) -> throw new HostCallException(message);
        };
    }
}
