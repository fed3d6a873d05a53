package io.portcullis.api.policies;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One entry of {@code policies.yml}: a policy, or a group of policies combined by an expression. */
public sealed interface PolicyEntry {

    PolicyMode mode();

    /**
     * A module with its settings and permissions. Group members are also modules; they have no mode, no message and no right
     * to mutate.
     *
     * @param contextNamespace the only namespace whose objects the policy may read; empty: it may read all objects of {@code
     *     contextAwareResources}
     */
    record Module(
            String module,
            ObjectNode settings,
            Set<ContextAwareResource> contextAwareResources,
            Optional<String> contextNamespace,
            Optional<Duration> timeout,
            List<String> hostCapabilities) {

        /** A module whose reads are not limited to a namespace. */
        public Module(
                String module,
                ObjectNode settings,
                Set<ContextAwareResource> contextAwareResources,
                Optional<Duration> timeout,
                List<String> hostCapabilities) {
            this(module, settings, contextAwareResources, Optional.empty(), timeout, hostCapabilities);
        }

        public Module {
            contextAwareResources = Set.copyOf(contextAwareResources);
            hostCapabilities = List.copyOf(hostCapabilities);
        }
    }

    record Single(Module module, PolicyMode mode, boolean allowedToMutate, Optional<String> message)
            implements PolicyEntry {}

    /** A group. Members keep their order in the file. */
    record Group(Map<String, Module> members, String expression, String message, PolicyMode mode)
            implements PolicyEntry {

        public Group {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }
    }
}
