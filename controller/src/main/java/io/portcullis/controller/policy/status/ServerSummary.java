package io.portcullis.controller.policy.status;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.controller.affected.AffectedPass;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.queue.Reconciler;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the policy summary into a PolicyServer's status: policy counts by phase, one condition per policy kind in use,
 * and the replicas' reports on memory and quarantined modules. Owns a separate slot; other writers own the rest of that
 * status.
 */
public final class ServerSummary implements Reconciler<String> {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final int NAMES_SHOWN = 10;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final PolicyObjects objects;
    private final Servers servers;
    private final ApiWriter api;
    private final Function<String, List<ReplicaReport>> reports;
    private final Clock clock;

    /** @param reports the reports of a PolicyServer's replicas about themselves */
    public ServerSummary(
            PolicyObjects objects,
            Servers servers,
            ApiWriter api,
            Function<String, List<ReplicaReport>> reports,
            Clock clock) {
        this.reports = reports;
        this.objects = objects;
        this.servers = servers;
        this.api = api;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(String name) {
        return servers.get(name).flatMap(this::summarize);
    }

    private Optional<Duration> summarize(PolicyServer server) {
        var policies = objects.ofServer(server.getMetadata().getName());
        var counts = counts(policies.stream().map(ServerSummary::phase));
        var before = Optional.ofNullable(server.getStatus());
        var conditions = conditions(server, policies, before);
        var reported = reports.apply(server.getMetadata().getName());
        if (wouldHaveNoConditions(conditions, before)) {
            return Optional.of(RETRY_DELAY);
        }
        boolean isSame =
                before.map(PolicyServerStatus::policies).filter(counts::equals).isPresent()
                        && ours(before).equals(conditions)
                        && before.map(PolicyServerStatus::replicaReports)
                                .orElse(List.of())
                                .equals(reported);
        if (!isSame) {
            var status = ApiWriter.object();
            status.set("conditions", MAPPER.valueToTree(conditions));
            status.set("policies", MAPPER.valueToTree(counts));
            if (!reported.isEmpty()) {
                status.set("replicaReports", MAPPER.valueToTree(reported));
            }
            api.applyStatus(server, PolicyServerNames.POLICIES_FIELD_MANAGER, status);
        }
        return Optional.empty();
    }

    /**
     * Whether the status would have no conditions, which the API server rejects. The server's own conditions come soon,
     * and then the summary runs again.
     */
    static boolean wouldHaveNoConditions(List<Condition> ours, Optional<PolicyServerStatus> before) {
        return ours.isEmpty()
                && before.stream()
                        .flatMap(status -> status.conditions().stream())
                        .allMatch(condition -> Arrays.stream(PolicyKind.values())
                                .anyMatch(kind -> PolicyServerNames.policiesCondition(kind)
                                        .equals(condition.getType())));
    }

    /** Whether a policy changed its phase, acceptance or server, so that a summary changes. */
    public static boolean isCountedDifferently(Policy before, Policy after) {
        return phase(before) != phase(after)
                || AffectedPass.isAccepted(before) != AffectedPass.isAccepted(after)
                || !before.policyServerName().equals(after.policyServerName());
    }

    private static Phase phase(Policy policy) {
        return policy.getStatus() == null ? Phase.PENDING : policy.getStatus().phase();
    }

    static PolicyServerStatus.Policies counts(Stream<Phase> phases) {
        Map<Phase, Long> counted = phases.collect(Collectors.groupingBy(phase -> phase, Collectors.counting()));
        int total = counted.values().stream().mapToInt(Long::intValue).sum();
        int active = counted.getOrDefault(Phase.ACTIVE, 0L).intValue();
        int failed = counted.getOrDefault(Phase.FAILED, 0L).intValue();
        return new PolicyServerStatus.Policies(total, active, total - active - failed, failed);
    }

    private static List<Condition> ours(Optional<PolicyServerStatus> status) {
        return Arrays.stream(PolicyKind.values())
                .flatMap(kind -> find(status, PolicyServerNames.policiesCondition(kind)).stream())
                .toList();
    }

    private static Optional<Condition> find(Optional<PolicyServerStatus> status, String type) {
        return status.stream()
                .flatMap(present -> present.conditions().stream())
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    private List<Condition> conditions(
            PolicyServer server, List<Policy> policies, Optional<PolicyServerStatus> before) {
        var conditions = new ArrayList<Condition>();
        for (PolicyKind kind : PolicyKind.values()) {
            var names = policies.stream()
                    .filter(policy -> policy.policyKind() == kind && AffectedPass.isAccepted(policy))
                    .map(policy -> policy.ref().qualifiedName())
                    .sorted()
                    .toList();
            if (!names.isEmpty()) {
                var since = find(before, PolicyServerNames.policiesCondition(kind))
                        .map(Condition::getLastTransitionTime)
                        .orElseGet(() ->
                                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
                conditions.add(new ConditionBuilder()
                        .withType(PolicyServerNames.policiesCondition(kind))
                        .withStatus("True")
                        .withReason("Accepted")
                        .withMessage(message(kind, names))
                        .withObservedGeneration(
                                Objects.requireNonNullElse(server.getMetadata().getGeneration(), 0L))
                        .withLastTransitionTime(since)
                        .build());
            }
        }
        return conditions;
    }

    private static String message(PolicyKind kind, List<String> names) {
        var shown = names.stream().limit(NAMES_SHOWN).collect(Collectors.joining(", ", "[", "]"));
        var more = names.size() > NAMES_SHOWN ? " and " + (names.size() - NAMES_SHOWN) + " more" : "";
        return "serves %d %s: %s%s".formatted(names.size(), kind.wireName(), shown, more);
    }
}
