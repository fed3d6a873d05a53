package io.portcullis.core.lifecycle;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.PolicyStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Executes the commands of a transcript and describes the result of each as text. */
final class Narrator {

    private final World world = new World();

    /** Executes a command and returns the resulting lines of the transcript. */
    List<String> execute(String command) {
        var before = world.status;
        apply(command.split(" "));
        if (world.generation == 0) {
            return List.of();
        }
        var steps = world.settle();
        var after = Objects.requireNonNull(world.status);
        var lines = new ArrayList<String>();
        if (!steps.isEmpty()) {
            lines.add("controller: " + steps.stream().map(Narrator::describe).collect(Collectors.joining(", ")));
        }
        lines.add("status:     " + summary(after));
        lines.add("conditions: "
                + after.conditions().stream()
                        .filter(condition -> condition.generation() > 0)
                        .map(Narrator::describe)
                        .collect(Collectors.joining(" ")));
        var events = TransitionEvents.between(before, after);
        if (!events.isEmpty()) {
            lines.add("events:     "
                    + events.stream()
                            .map(event -> (event.isWarning() ? "!" : "") + event.reason())
                            .collect(Collectors.joining(" ")));
        }
        return lines;
    }

    /** Returns the derived status after the last command; null before the policy is created. */
    @Nullable
    PolicyStatus status() {
        return world.status;
    }

    private void apply(String[] words) {
        switch (words[0]) {
            case "policy" -> policy(words);
            case "server" -> server(words);
            case "leader" -> leader(words);
            case "replica" -> replica(Integer.parseInt(words[1]), words);
            case "webhook" -> webhook(words[1]);
            case "wait" -> world.now = world.now.plus(Duration.ofSeconds(Long.parseLong(words[1])));
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void policy(String[] words) {
        switch (words[1]) {
            case "created", "edited" -> {
                world.generation++;
                if (words.length > 2) {
                    world.policyServer = words[2].substring("server=".length());
                }
            }
            case "deleted" -> world.deleting = true;
            case "conflicts" -> world.conflicted = true;
            case "alone" -> world.conflicted = false;
            case "overridden" -> world.suspended = true;
            case "unrivalled" -> world.suspended = false;
            case "rollback" -> {
                var request = Rollback.decide(
                        words[2],
                        world.generation,
                        PolicyMode.PROTECT,
                        world.revisions.values().stream()
                                .map(World.Stored::view)
                                .map(Rollback.Candidate::of)
                                .toList());
                if (!(request instanceof Rollback.To)) {
                    throw new IllegalArgumentException(request.toString());
                }
                world.generation++;
            }
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void server(String[] words) {
        var name = words[1];
        switch (words[2]) {
            case "created" -> {
                var server = new World.Server();
                world.servers.put(name, server);
                world.scale(server, Integer.parseInt(words[3]));
            }
            case "scaled" -> world.scale(world.server(name), Integer.parseInt(words[3]));
            case "deleted" -> world.server(name).deleting = true;
            case "gone" -> world.servers.remove(name);
            case "replaces" -> world.server(name).hasPredecessor = true;
            case "replaced" -> world.server(name).hasPredecessor = false;
            case "rolling" -> world.server(name).settled = false;
            case "settled" -> world.server(name).settled = true;
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void leader(String[] words) {
        var latest = world.latest();
        world.leaderReports(latest, ConditionType.SCHEDULED, Reason.POLICY_SCHEDULED, Messages.POLICY_SCHEDULED);
        switch (words[1]) {
            case "schedules" -> {}
            case "initializes" ->
                world.leaderReports(
                        latest, ConditionType.INITIALIZED, Reason.POLICY_INITIALIZED, Messages.POLICY_INITIALIZED);
            case "fails" ->
                world.leaderReports(
                        latest,
                        ConditionType.INITIALIZED,
                        Reason.parse(words[2]).orElseThrow(),
                        "because");
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void replica(int replica, String[] words) {
        var pod = world.pod(world.policyServer, replica);
        switch (words[2]) {
            case "loads" -> {
                var revision = words.length > 3 ? world.revision(Long.parseLong(words[3])) : world.latest();
                world.replicaReports(revision, replica, Reason.POLICY_READY, Messages.POLICY_READY);
            }
            case "fails" ->
                world.replicaReports(
                        world.latest(), replica, Reason.parse(words[3]).orElseThrow(), "because");
            case "down" -> pod.downSince = Optional.of(world.now);
            case "restarted" -> {
                pod.downSince = Optional.empty();
                pod.loaded.clear();
                pod.uid = pod.uid + "'";
            }
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private void webhook(String event) {
        switch (event) {
            case "changed" -> world.webhookIntact = false;
            case "removed" -> {
                world.webhookExists = false;
                world.webhookGeneration = 0;
            }
            default -> throw new IllegalArgumentException(event);
        }
    }

    private static String summary(PolicyStatus status) {
        return "%s/%s %s%s%s Accepted=%s Enforced=%s active=%d"
                .formatted(
                        status.policyStatus().wireName(),
                        status.phase().wireName(),
                        letter(status, ConditionType.POLICY_ACTIVE, "A"),
                        letter(status, ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE, "C"),
                        letter(status, ConditionType.POLICY_UNIQUELY_REACHABLE, "U"),
                        status.condition(ConditionType.ACCEPTED).orElseThrow().reason(),
                        status.condition(ConditionType.ENFORCED).orElseThrow().reason(),
                        status.activeGeneration());
    }

    private static String letter(PolicyStatus status, ConditionType type, String letter) {
        return status.condition(type).filter(Condition::isTrue).isPresent() ? letter : "-";
    }

    private static String describe(Condition condition) {
        var replica = condition.replica() < 0 ? "" : "," + condition.replica();
        var reason = condition.isTrue() ? "" : "/" + condition.reason();
        return "%s(%d%s)=%s%s"
                .formatted(
                        condition.type(),
                        condition.generation(),
                        replica,
                        condition.status().wireName(),
                        reason);
    }

    private static String describe(Step step) {
        return switch (step) {
            case Step.CreateRevision create -> "create revision " + create.generation();
            case Step.Enable enable -> "enable " + enable.revision();
            case Step.Disable disable -> "disable " + disable.revision();
            case Step.Activate activate -> "activate " + activate.revision();
            case Step.Drain drain -> "drain " + drain.revision();
            case Step.AddFinalizer _ -> "add finalizer";
            case Step.Register register -> "register " + register.revision();
            case Step.Unregister _ -> "remove webhooks";
            case Step.RemoveFinalizer _ -> "remove finalizer";
            case Step.Expire expire -> "expire " + expire.revision();
            case Step.DeleteRevision delete -> "delete " + delete.revision();
        };
    }
}
