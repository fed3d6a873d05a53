package io.portcullis.controller.policy.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.evidence.EvidenceStore;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import io.portcullis.controller.policy.objects.RevisionReadings;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.core.lifecycle.History;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.precedence.Loss;
import io.portcullis.core.precedence.PrecedenceOutcome;
import io.portcullis.core.status.Facts;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.RolloutProgress;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Converts an observation into the facts for the status rules. */
public final class FactsGathering {

    private final PolicySettings settings;
    private final Servers servers;
    private final RevisionReadings readings;
    private final EvidenceStore evidence;
    private final Function<Policy, List<String>> affectedBy;

    public FactsGathering(
            PolicySettings settings,
            Servers servers,
            RevisionReadings readings,
            EvidenceStore evidence,
            Function<Policy, List<String>> affectedBy) {
        this.settings = settings;
        this.servers = servers;
        this.readings = readings;
        this.evidence = evidence;
        this.affectedBy = affectedBy;
    }

    /**
     * All facts.
     *
     * @param refusal why the API server rejected a write in this reconcile pass
     */
    Facts gather(Observation observation, Optional<String> refusal) {
        var policy = observation.policy();
        var progress = progress(observation, observation.generation());
        // A policy that is not initialized may be invalid, so it is not accepted and gets no PolicyAffected.
        var others = settings.reportsAffected() && progress.isInitialized()
                ? Optional.of(withPrecedence(affectedBy.apply(policy), observation.precedence()))
                : Optional.<List<String>>empty();
        return new Facts(
                Subject.of(policy),
                observation.observed().target(),
                progress,
                registration(observation, observation.defect().or(() -> refusal)),
                endpoints(observation),
                new Precedence(
                        observation.conflictsWith(),
                        overriding(observation),
                        others,
                        observation.precedence().notice()),
                History.summaries(
                        observation.revisions(),
                        readings::isIntact,
                        observation.generation(),
                        PolicyMode.of(policy.getSpec().path("mode").asText())));
    }

    /**
     * The latest time at which something that needs proof appeared: the webhook's generation, a replica, or a replica's
     * report.
     */
    Optional<Instant> latestArrival(Observation observation) {
        return observation
                .webhook()
                .flatMap(webhook -> Stream.concat(
                                observation.revision(webhook.generation()).stream()
                                        .flatMap(this::times),
                                servers.readyPods(webhook.policyServer()).stream()
                                        .flatMap(pod -> Servers.readySince(pod).stream()))
                        .max(Comparator.naturalOrder()));
    }

    private Stream<Instant> times(PolicyRevision revision) {
        return Stream.concat(
                        Stream.ofNullable(revision.statusOrEmpty().activatedAt()),
                        readings.of(revision).progress().ready().values().stream()
                                .flatMap(report -> Stream.ofNullable(report.lastTransitionTime())))
                .map(Instant::parse);
    }

    private static RolloutProgress progress(Observation observation, long generation) {
        return observation.read(generation).map(Revision::progress).orElseGet(() -> RolloutProgress.none(generation));
    }

    private Registration registration(Observation observation, Optional<String> refusal) {
        // A path without a generation is not one of ours, so nothing is registered.
        return observation
                .webhook()
                .filter(webhook -> webhook.generation() > 0)
                .<Registration>map(webhook -> new Registration.Registered(
                        progress(observation, webhook.generation()),
                        webhook.policyServer(),
                        observation
                                .read(webhook.generation())
                                .map(Revision::mode)
                                .orElse(PolicyMode.PROTECT),
                        observation.fidelity().orElseThrow(),
                        refusal))
                .orElseGet(() -> new Registration.Absent(refusal));
    }

    private List<Endpoint> endpoints(Observation observation) {
        if (observation.webhook().isEmpty()) {
            return List.of();
        }
        var webhook = observation.webhook().get();
        var expected = observation.revisions().stream()
                .filter(revision -> revision.getSpec().enabled())
                .flatMap(revision -> readings.expected(revision).stream())
                .toList();
        return servers.readyPods(webhook.policyServer()).stream()
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
                .map(pod -> new Endpoint(
                        name(pod),
                        evidence.probe(
                                new Source(
                                        webhook.policyServer(),
                                        pod.getMetadata().getUid(),
                                        webhook.caBundle()),
                                expected)))
                .toList();
    }

    private static String name(Pod pod) {
        return "replica " + Servers.ordinal(pod).orElse(0);
    }

    private static List<String> withPrecedence(List<String> affectedBy, PrecedenceOutcome precedence) {
        return Stream.concat(affectedBy.stream(), names(precedence.loss()))
                .distinct()
                .sorted()
                .toList();
    }

    private static Stream<String> names(Loss loss) {
        return loss.by().stream().map(PolicyRef::display);
    }

    /** Combines both causes: each overrides a part or all, and "all" wins. A conflict wins over both. */
    private Overriding overriding(Observation observation) {
        var byServer = overridingByServer(observation.policy());
        var byPolicies = overriding(observation.precedence().loss());
        if (byPolicies instanceof Overriding.Conflicting) {
            return byPolicies;
        }
        return switch (byServer) {
            case Overriding.None _ -> byPolicies;
            case Overriding.Wholly _, Overriding.Conflicting _ -> byServer;
            case Overriding.Partly server ->
                switch (byPolicies) {
                    case Overriding.None _ -> byServer;
                    case Overriding.Wholly _, Overriding.Conflicting _ -> byPolicies;
                    case Overriding.Partly policies ->
                        new Overriding.Partly(Stream.concat(server.by().stream(), policies.by().stream())
                                .toList());
                };
        };
    }

    private static Overriding overriding(Loss loss) {
        var by = names(loss).toList();
        return switch (loss) {
            case Loss.Nothing _ -> new Overriding.None();
            case Loss.Everything _ -> new Overriding.Wholly(by);
            case Loss.Conflict _ -> new Overriding.Conflicting(by);
            case Loss.Namespaces namespaces ->
                namespaces.isAll() ? new Overriding.Wholly(by) : new Overriding.Partly(by);
            case Loss.Rules _ -> new Overriding.Partly(by);
        };
    }

    /** A server that accepts everything in its own namespace overrides policies that select this namespace. */
    private Overriding overridingByServer(Policy policy) {
        var by = List.of("the policy servers' setting to accept everything in namespace " + settings.namespace());
        if (!settings.acceptsAllInside()) {
            return new Overriding.None();
        }
        if (policy.policyKind().isNamespaced()) {
            return policy.ref().namespace().equals(settings.namespace())
                    ? new Overriding.Wholly(by)
                    : new Overriding.None();
        }
        return policy.getSpec().path("allowInsideAdmissionControllerNamespace").asBoolean(false)
                ? new Overriding.Partly(by)
                : new Overriding.None();
    }
}
