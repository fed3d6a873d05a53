package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status that one controller reports for a policy and one ancestor object (GEP-713 PolicyAncestorStatus). The entry of
 * Portcullis refers to the PolicyServer. Entries of other controllers are preserved.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AncestorStatus(Ref ancestorRef, String controllerName, List<Condition> conditions) {

    /** Maximum length of the list, by GEP-713. */
    public static final int MAX_ENTRIES = 16;

    /** Controller name that identifies the entry of Portcullis. */
    public static final String CONTROLLER_NAME = "portcullis.io/policy-controller";

    public AncestorStatus {
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    @JsonIgnore
    public boolean isOurs() {
        return controllerName.equals(CONTROLLER_NAME);
    }

    /** Reference to the ancestor object, in the format of Gateway API. */
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
