package io.portcullis.audit.targets;

import java.util.Optional;

/** The objects that a run evaluates, and whose reports it manages. */
public sealed interface AuditScope {

    /** Cluster-scoped objects first, then namespaced objects. */
    record Everything() implements AuditScope {}

    /** Cluster-scoped objects. */
    record ClusterWide() implements AuditScope {}

    record OneNamespace(String name) implements AuditScope {}

    default boolean includes(AuditedType type) {
        return switch (this) {
            case Everything _ -> true;
            case ClusterWide _ -> !type.isNamespaced();
            case OneNamespace _ -> type.isNamespaced();
        };
    }

    default Optional<String> namespace() {
        return this instanceof OneNamespace one ? Optional.of(one.name()) : Optional.empty();
    }
}
