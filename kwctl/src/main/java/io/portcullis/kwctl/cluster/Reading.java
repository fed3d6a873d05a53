package io.portcullis.kwctl.cluster;

import java.util.Optional;
import java.util.function.Function;

/** The result of reading from the cluster. The user may lack the permission to read it. */
sealed interface Reading<T> {

    record Seen<T>(T value) implements Reading<T> {}

    /** @param why the explanation for the user */
    record Hidden<T>(String why) implements Reading<T> {}

    default Optional<T> seen() {
        return switch (this) {
            case Seen<T>(var value) -> Optional.of(value);
            case Hidden<T> _ -> Optional.empty();
        };
    }

    default <R> Reading<R> map(Function<T, R> change) {
        return switch (this) {
            case Seen<T>(var value) -> new Seen<>(change.apply(value));
            case Hidden<T>(var why) -> new Hidden<>(why);
        };
    }
}
