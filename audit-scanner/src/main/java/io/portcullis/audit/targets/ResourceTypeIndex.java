package io.portcullis.audit.targets;

import java.util.List;
import java.util.Set;

/**
 * The resource types that the API server serves.
 *
 * @param types that support create and list; versions of the same resource in the API server's order of preference
 * @param unreachable groups whose discovery failed, for example because an aggregated API server is down
 */
public record ResourceTypeIndex(List<AuditedType> types, Set<String> unreachable) {

    public ResourceTypeIndex {
        types = List.copyOf(types);
        unreachable = Set.copyOf(unreachable);
    }
}
