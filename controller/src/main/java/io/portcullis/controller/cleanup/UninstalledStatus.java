package io.portcullis.controller.cleanup;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.controller.cluster.StatusPatch;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.status.ServerStatus;
import io.portcullis.core.status.Facts;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.Facts.Target;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.core.status.StatusDerivation;
import io.portcullis.core.status.TransitionTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Writes the status of policies and PolicyServers after uninstalling, with the field managers of the controller. */
final class UninstalledStatus {

    private static final JsonMapper MAPPER = new JsonMapper();

    private UninstalledStatus() {}

    static void write(KubernetesClient client, Policy policy, Instant now) {
        new StatusPatch(RevisionSlots.CONTROLLER, MAPPER.valueToTree(of(policy, now)), false).apply(client, policy);
    }

    static PolicyStatus of(Policy policy, Instant now) {
        var subject = Subject.of(policy);
        var facts = new Facts(
                subject,
                new Target.Uninstalled(policy.policyServerName()),
                RolloutProgress.none(subject.generation()),
                new Registration.Absent(Optional.empty()),
                List.of(),
                Precedence.UNDISPUTED,
                policy.getStatus() == null ? List.of() : policy.getStatus().revisions());
        return TransitionTimes.stamp(StatusDerivation.derive(facts), policy.getStatus(), now);
    }

    static void write(KubernetesClient client, PolicyServer server, Instant now) {
        var status = MAPPER.<ObjectNode>valueToTree(ServerStatus.uninstalled(server, now));
        new StatusPatch(ServerNames.FIELD_MANAGER, status, false).apply(client, server);
        // Removes policy counts and replica reports.
        new StatusPatch(PolicyServerNames.POLICIES_FIELD_MANAGER, JsonNodeFactory.instance.objectNode(), false)
                .apply(client, server);
    }
}
