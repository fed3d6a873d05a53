package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Condition;
import io.portcullis.api.lifecycle.TransitionEvents.Happening;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerStatus;
import java.util.ArrayList;
import java.util.List;

/** The Events that tell what happened to a PolicyServer, from one status to the next. */
final class ServerEventDrafts {

    private ServerEventDrafts() {}

    /**
     * What is new.
     *
     * @param server with the status that it had
     * @param ignoredEnv variables that the user set in vain; told once for each version of the spec
     */
    static List<Happening> between(PolicyServer server, PolicyServerStatus after, List<String> ignoredEnv) {
        var happenings = new ArrayList<Happening>();
        var before = ServerStatus.previous(server);
        for (Condition condition : after.conditions()) {
            var old = ServerStatus.find(before, condition.getType());
            var isNews = old.isEmpty() || !old.get().getStatus().equals(condition.getStatus());
            var isOtherText = old.isEmpty() || !old.get().getMessage().equals(condition.getMessage());
            if (condition.getType().equals(ServerStatus.PROGRESSING)) {
                rollout(condition, old.isPresent(), isNews, happenings);
            } else if (condition.getReason().equals(ServerStatus.POLICIES_NOT_ENFORCED)
                    && old.filter(known -> known.getReason().equals(ServerStatus.POLICIES_NOT_ENFORCED))
                            .isEmpty()) {
                happenings.add(new Happening(true, ServerStatus.POLICIES_NOT_ENFORCED, condition.getMessage()));
            } else if (condition.getReason().equals(TenancyReport.VIOLATED) && (isNews || isOtherText)) {
                happenings.add(new Happening(true, "TenancyViolation", condition.getMessage()));
            } else if (condition.getReason().equals(ServerStatus.FAILED)
                    && (isNews || isOtherText)
                    && !isAlias(condition)) {
                happenings.add(
                        new Happening(true, ServerStatus.FAILED, condition.getType() + ": " + condition.getMessage()));
            }
        }
        var status = server.getStatus();
        var isNewSpec = status == null || status.observedGeneration() != after.observedGeneration();
        if (isNewSpec && !ignoredEnv.isEmpty()) {
            happenings.add(new Happening(
                    true,
                    "ReservedEnvIgnored",
                    "only the controller may set these variables: " + String.join(", ", ignoredEnv)));
        }
        return happenings;
    }

    private static void rollout(Condition condition, boolean wasKnown, boolean isNews, List<Happening> happenings) {
        if (isNews && condition.getStatus().equals(ServerStatus.TRUE)) {
            happenings.add(new Happening(false, "RolloutStarted", condition.getMessage()));
        } else if (isNews && wasKnown) {
            happenings.add(new Happening(false, "RolloutCompleted", condition.getMessage()));
        }
    }

    /** Says what another condition has said. */
    private static boolean isAlias(Condition condition) {
        return condition.getType().equals(ServerStep.DEPLOYMENT.condition());
    }
}
