package io.portcullis.api.policy;

import java.util.Comparator;

/**
 * Reference to a policy by kind, namespace and name.
 *
 * @param namespace empty for the cluster-wide kinds
 */
public record PolicyRef(PolicyKind kind, String namespace, String name) implements Comparable<PolicyRef> {

    private static final Comparator<PolicyRef> ORDER = Comparator.comparing(
                    (PolicyRef ref) -> ref.kind().wireName())
            .thenComparing(PolicyRef::namespace)
            .thenComparing(PolicyRef::name);

    @Override
    public int compareTo(PolicyRef other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name}, or {@code name} for the cluster-wide kinds. */
    public String qualifiedName() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** {@code namespace/name (Kind)}, for messages. */
    public String display() {
        return qualifiedName() + " (" + kind.wireName() + ")";
    }
}
