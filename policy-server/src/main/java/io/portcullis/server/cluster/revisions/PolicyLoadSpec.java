package io.portcullis.server.cluster.revisions;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policy.ServedPolicy;
import java.util.List;
import java.util.Map;

/** What a revision tells to load. */
public sealed interface PolicyLoadSpec {

    record Usable(String policyId, PolicyEntry entry) implements PolicyLoadSpec {

        /** The modules, by member; that of a single policy stands under the empty name. */
        public Map<String, PolicyEntry.Module> modules() {
            return switch (entry) {
                case PolicyEntry.Single single -> Map.of("", single.module());
                case PolicyEntry.Group group -> group.members();
            };
        }
    }

    /** @param reason of a failed initialisation */
    record Unusable(Reason reason, String problem) implements PolicyLoadSpec {}

    /** @param namespacedCapabilities what policies of a namespace may ask of the host */
    static PolicyLoadSpec of(ObservedRevision revision, List<String> namespacedCapabilities) {
        var spec = revision.spec();
        if (!spec.isIntact()) {
            return new Unusable(Reason.DIGEST_MISMATCH, "the revision's data was changed after it was made");
        }
        var kind = PolicyKind.parse(spec.objectReference().kind());
        if (kind.isEmpty()) {
            return new Unusable(
                    Reason.UNSUPPORTED_POLICY,
                    "there is no kind of policy called "
                            + spec.objectReference().kind());
        }
        try {
            var policy = PolicySpec.read(kind.get(), spec.policySpec());
            return new Usable(spec.policyID(), new ServedPolicy(kind.get(), namespacedCapabilities).entry(policy));
        } catch (FlatObject.MalformedException e) {
            return new Unusable(Reason.UNSUPPORTED_POLICY, String.valueOf(e.getMessage()));
        }
    }
}
