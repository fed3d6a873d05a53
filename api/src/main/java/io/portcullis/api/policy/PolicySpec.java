package io.portcullis.api.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a policy asks for: where it runs, what it sees, how it is called, and what it is made of. */
public record PolicySpec(Placement placement, Match match, Call call, PolicyContent content) {

    /** The server of policies that do not name one. */
    public static final String DEFAULT_POLICY_SERVER = "default";

    static final int DEFAULT_TIMEOUT_SECONDS = 10;

    /**
     * Who runs the policy, and whether its verdict counts.
     *
     * @param policyServer empty: by nobody for now
     */
    public record Placement(String policyServer, PolicyMode mode, boolean backgroundAudit) {

        static Placement of(Wire wire) {
            return new Placement(
                    Objects.requireNonNullElse(wire.policyServer, DEFAULT_POLICY_SERVER),
                    PolicyMode.MONITOR.wireName().equals(wire.mode) ? PolicyMode.MONITOR : PolicyMode.PROTECT,
                    !Boolean.FALSE.equals(wire.backgroundAudit));
        }

        /** As it is written, where an absent field and an empty one differ. */
        record Wire(
                @Nullable String policyServer,
                @Nullable String mode,
                @Nullable Boolean backgroundAudit) {}

        public boolean isScheduled() {
            return !policyServer.isEmpty();
        }
    }

    /**
     * Which requests the policy sees.
     *
     * @param allowInsideAdmissionControllerNamespace also those of the namespace that policy servers run in
     */
    public record Match(
            List<RuleWithOperations> rules,
            @Nullable String matchPolicy,
            List<MatchCondition> matchConditions,
            @Nullable LabelSelector objectSelector,
            @Nullable LabelSelector namespaceSelector,
            boolean allowInsideAdmissionControllerNamespace) {

        public Match {
            rules = rules == null ? List.of() : List.copyOf(rules);
            matchConditions = matchConditions == null ? List.of() : List.copyOf(matchConditions);
        }
    }

    /** How the API server calls the policy. */
    public record Call(
            @Nullable String failurePolicy,
            @Nullable String sideEffects,
            @Nullable Integer timeoutSeconds) {

        /** What the API server waits for at most. */
        public int effectiveTimeoutSeconds() {
            return timeoutSeconds == null ? DEFAULT_TIMEOUT_SECONDS : timeoutSeconds;
        }
    }

    /**
     * The typed view of a spec as it stands in a policy or a revision.
     *
     * @throws FlatObject.MalformedException when a field has a wrong type; the message names it
     */
    public static PolicySpec read(PolicyKind kind, ObjectNode spec) {
        var object = new FlatObject("spec", spec);
        return new PolicySpec(
                Placement.of(object.read(Placement.Wire.class)),
                object.read(Match.class),
                object.read(Call.class),
                kind.isGroup() ? object.read(PolicyContent.Group.class) : object.read(PolicyContent.Single.class));
    }

    /** Whether the webhook must be of the mutating kind. */
    public boolean isMutating() {
        return switch (content) {
            case PolicyContent.Single single -> single.mutating();
            case PolicyContent.Group _ -> false;
        };
    }
}
