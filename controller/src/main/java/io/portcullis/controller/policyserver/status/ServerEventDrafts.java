package io.portcullis.controller.policyserver.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.util.ArrayList;
import java.util.List;

/** Derives the Events of a PolicyServer from the difference between two statuses. */
public final class ServerEventDrafts {

    private ServerEventDrafts() {}

    /**
     * The Events for a status change.
     *
     * @param server with the previous status
     * @param ignoredEnv reserved variables that the user set; reported once for each generation of the spec
     */
    public static List<EventDraft> between(PolicyServer server, PolicyServerStatus after, List<String> ignoredEnv) {
        var drafts = new ArrayList<EventDraft>();
        var before = ServerStatus.previous(server);
        for (Condition condition : after.conditions()) {
            var old = ServerStatus.find(before, condition.getType());
            var isStatusChanged = old.isEmpty() || !old.get().getStatus().equals(condition.getStatus());
            var isMessageChanged = old.isEmpty() || !old.get().getMessage().equals(condition.getMessage());
            if (condition.getType().equals(ServerStatus.PROGRESSING)) {
                rollout(condition, old.isPresent(), isStatusChanged, drafts);
            } else if (condition.getReason().equals(ServerStatus.POLICIES_NOT_ENFORCED)
                    && old.filter(previous -> previous.getReason().equals(ServerStatus.POLICIES_NOT_ENFORCED))
                            .isEmpty()) {
                drafts.add(new EventDraft(true, ServerStatus.POLICIES_NOT_ENFORCED, condition.getMessage()));
            } else if (condition.getReason().equals(TenancyReport.VIOLATED) && (isStatusChanged || isMessageChanged)) {
                drafts.add(new EventDraft(true, "TenancyViolation", condition.getMessage()));
            } else if (condition.getReason().equals(ServerStatus.FAILED)
                    && (isStatusChanged || isMessageChanged)
                    && !isAlias(condition)) {
                drafts.add(
                        new EventDraft(true, ServerStatus.FAILED, condition.getType() + ": " + condition.getMessage()));
            }
        }
        var status = server.getStatus();
        var isNewSpec = status == null || status.observedGeneration() != after.observedGeneration();
        if (isNewSpec && !ignoredEnv.isEmpty()) {
            drafts.add(new EventDraft(
                    true,
                    "ReservedEnvIgnored",
                    "only the controller may set these variables: " + String.join(", ", ignoredEnv)));
        }
        return drafts;
    }

    private static void rollout(
            Condition condition, boolean wasReported, boolean isStatusChanged, List<EventDraft> drafts) {
        if (isStatusChanged && condition.getStatus().equals(ServerStatus.TRUE)) {
            drafts.add(new EventDraft(false, "RolloutStarted", condition.getMessage()));
        } else if (isStatusChanged && wasReported) {
            drafts.add(new EventDraft(false, "RolloutCompleted", condition.getMessage()));
        }
    }

    /** Whether the condition repeats another condition. */
    private static boolean isAlias(Condition condition) {
        return condition.getType().equals(ServerStep.DEPLOYMENT.condition());
    }
}
