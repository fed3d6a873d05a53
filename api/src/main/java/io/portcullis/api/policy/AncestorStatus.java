package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one controller says about a policy with regard to one object that it acts through (GEP-713
 * PolicyAncestorStatus). Ours speaks of the PolicyServer; entries of others are carried along.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AncestorStatus(Ref ancestorRef, String controllerName, List<Condition> conditions) {

    /** The list may not be longer, by the same convention. */
    public static final int MAX_ENTRIES = 16;

    /** How our entry is told from those of others. */
    public static final String CONTROLLER_NAME = "portcullis.io/policy-controller";

    public AncestorStatus {
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    @JsonIgnore
    public boolean isOurs() {
        return controllerName.equals(CONTROLLER_NAME);
    }

    /** The object, as Gateway API refers to parents. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Ref(
            @Nullable String group,
            @Nullable String kind,
            @Nullable String namespace,
            String name,
            @Nullable String sectionName,
            @Nullable Integer port) {

        public static Ref policyServer(String name) {
            return new Ref(PolicyKind.GROUP, "PolicyServer", null, name, null, null);
        }
    }
}
