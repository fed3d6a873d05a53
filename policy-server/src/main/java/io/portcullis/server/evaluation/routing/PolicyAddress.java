package io.portcullis.server.evaluation.routing;

import java.util.OptionalLong;

/** The policy that a request addresses. Without a generation it is the current one. */
public record PolicyAddress(String id, OptionalLong generation) {

    public static PolicyAddress current(String id) {
        return new PolicyAddress(id, OptionalLong.empty());
    }

    public static PolicyAddress of(String id, long generation) {
        return new PolicyAddress(id, OptionalLong.of(generation));
    }

    @Override
    public String toString() {
        return generation.isPresent() ? id + " generation " + generation.getAsLong() : id;
    }
}
