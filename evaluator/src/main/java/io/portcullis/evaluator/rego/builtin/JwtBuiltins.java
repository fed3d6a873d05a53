package io.portcullis.evaluator.rego.builtin;

import java.util.Map;

/** Placeholder. */
final class JwtBuiltins {
    static final Map<String, Builtin> ALL = Map.of();

    private JwtBuiltins() {}
}
