package io.portcullis.audit.targets;

import java.util.Optional;

/** Which objects a run judges, and whose reports it answers for. */
public sealed interface AuditScope {

    /** First those outside of namespaces, then those inside. */
    record Everything() implements AuditScope {}

    /** Those outside of namespaces. */
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
