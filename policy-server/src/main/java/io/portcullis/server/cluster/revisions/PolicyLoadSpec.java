package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policy.ServedPolicy;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The policy that a revision describes, parsed for loading. */
public sealed interface PolicyLoadSpec {

    record Usable(String policyId, PolicyEntry entry) implements PolicyLoadSpec {

        /** Returns the modules, by member. The module of a single policy has the empty name. */
        public Map<String, PolicyEntry.Module> modules() {
            return switch (entry) {
                case PolicyEntry.Single single -> Map.of("", single.module());
                case PolicyEntry.Group group -> group.members();
            };
        }
    }

    /** @param reason the reason to report for the failed initialisation */
    record Unusable(Reason reason, String problem) implements PolicyLoadSpec {}

    /** @param namespacedCapabilities the host capabilities that namespaced policies may use */
    static PolicyLoadSpec of(ObservedRevision revision, List<String> namespacedCapabilities) {
        var spec = revision.spec();
        if (!spec.isIntact()) {
            return new Unusable(Reason.DIGEST_MISMATCH, "the data of the revision was changed after its creation");
        }
        var kind = PolicyKind.parse(spec.objectReference().kind());
        if (kind.isEmpty()) {
            return new Unusable(
                    Reason.UNSUPPORTED_POLICY,
                    "unknown policy kind " + spec.objectReference().kind());
        }
        try {
            var policy = PolicySpec.read(kind.get(), spec.policySpec());
            var namespace = Objects.requireNonNullElse(spec.objectReference().namespace(), "");
            var served = new ServedPolicy(kind.get(), namespace, namespacedCapabilities);
            return new Usable(spec.policyID(), served.entry(policy));
        } catch (FlatObject.MalformedException e) {
            return new Unusable(Reason.UNSUPPORTED_POLICY, String.valueOf(e.getMessage()));
        }
    }
}
