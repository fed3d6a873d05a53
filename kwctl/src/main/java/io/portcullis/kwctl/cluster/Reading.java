package io.portcullis.kwctl.cluster;

import java.util.Optional;
import java.util.function.Function;

/** Something that was looked for in the cluster, and that this user may not be allowed to see. */
sealed interface Reading<T> {

    record Seen<T>(T value) implements Reading<T> {}

    /** @param why in words for the user */
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
