package io.portcullis.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.policies.ContextAwareResource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of a policy: one module, or several modules combined by an expression. */
public sealed interface PolicyContent {

    /** One module. The policy's spec contains the fields of {@link Member} and those that only a single policy has. */
    record Single(
            String module,
            @Nullable JsonNode settings,
            @Nullable Integer timeoutEvalSeconds,
            List<ContextAwareResource> contextAwareResources,
            boolean mutating,
            @Nullable String message)
            implements PolicyContent {

        public Single {
            module = module == null ? "" : module;
            contextAwareResources = contextAwareResources == null ? List.of() : List.copyOf(contextAwareResources);
        }
    }

    /** Several modules and an expression. Members keep their order in the spec. */
    record Group(Map<String, Member> policies, String expression, String message) implements PolicyContent {

        public Group {
            policies = policies == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(policies));
            expression = expression == null ? "" : expression;
            message = message == null ? "" : message;
        }
    }

    /** A policy within a group. */
    record Member(
            String module,
            @Nullable JsonNode settings,
            @Nullable Integer timeoutEvalSeconds,
            List<ContextAwareResource> contextAwareResources) {

        public Member {
            module = module == null ? "" : module;
            contextAwareResources = contextAwareResources == null ? List.of() : List.copyOf(contextAwareResources);
        }
    }
}
