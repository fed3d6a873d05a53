package io.portcullis.audit.targets;

import java.util.List;
import java.util.Set;

/**
 * What the API server serves.
 *
 * @param types that can be created and listed; versions of the same objects in the order the API server prefers
 * @param unreachable groups whose types could not be found out, such as those of an extension that is down
 */
public record ResourceTypeIndex(List<AuditedType> types, Set<String> unreachable) {

    public ResourceTypeIndex {
        types = List.copyOf(types);
        unreachable = Set.copyOf(unreachable);
    }
}
