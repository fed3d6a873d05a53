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

/** Typed spec of a policy: its server, the requests that it matches, the webhook call, and its content. */
public record PolicySpec(Placement placement, Match match, Call call, PolicyContent content) {

    /** The server of policies whose spec does not contain {@code policyServer}. */
    public static final String DEFAULT_POLICY_SERVER = "default";

    static final int DEFAULT_TIMEOUT_SECONDS = 10;

    /**
     * The server of the policy, and whether its verdict is enforced.
     *
     * @param policyServer name of the server; empty: no server
     */
    public record Placement(String policyServer, PolicyMode mode, boolean backgroundAudit) {

        static Placement of(Wire wire) {
            return new Placement(
                    Objects.requireNonNullElse(wire.policyServer, DEFAULT_POLICY_SERVER),
                    PolicyMode.of(wire.mode),
                    !Boolean.FALSE.equals(wire.backgroundAudit));
        }

        /** The fields as written. An absent field and an empty one differ. */
        record Wire(
                @Nullable String policyServer,
                @Nullable String mode,
                @Nullable Boolean backgroundAudit) {}

        public boolean isScheduled() {
            return !policyServer.isEmpty();
        }
    }

    /**
     * The requests that the policy receives.
     *
     * @param allowInsideAdmissionControllerNamespace whether to include the namespace of the policy servers
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

        /** Returns how long the API server waits at most. */
        public int effectiveTimeoutSeconds() {
            return timeoutSeconds == null ? DEFAULT_TIMEOUT_SECONDS : timeoutSeconds;
        }
    }

    /**
     * Returns the typed view of the spec of a policy or a revision.
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

    /** Returns whether the policy needs a mutating webhook. */
    public boolean isMutating() {
        return switch (content) {
            case PolicyContent.Single single -> single.mutating();
            case PolicyContent.Group _ -> false;
        };
    }
}
