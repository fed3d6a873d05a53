package io.portcullis.evaluator;

import io.portcullis.api.policies.PolicyEntry;
import java.util.Map;

/** Creates a group policy from members that are already loaded. */
@FunctionalInterface
public interface GroupAssembler {

    /**
     * @param members in the order of the definition; the group owns and closes them, unless this method throws
     * @throws PolicyLoadException with {@link PolicyLoadException.Reason#INVALID_EXPRESSION}
     */
    LoadedPolicy assemble(String groupId, PolicyEntry.Group group, Map<String, PolicyEvaluator> members);
}
