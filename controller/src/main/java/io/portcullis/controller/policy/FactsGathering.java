package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.Pod;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.precedence.Loss;
import io.portcullis.api.precedence.PrecedenceOutcome;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.status.Facts;
import io.portcullis.api.status.Facts.Endpoint;
import io.portcullis.api.status.Facts.Overriding;
import io.portcullis.api.status.Facts.Precedence;
import io.portcullis.api.status.Facts.Registration;
import io.portcullis.api.status.Facts.Subject;
import io.portcullis.api.status.RolloutProgress;
import io.portcullis.controller.evidence.EvidenceStore;
import io.portcullis.controller.evidence.EvidenceStore.Source;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Puts what was observed into the terms of the status rules. */
final class FactsGathering {

    private final PolicySettings settings;
    private final Servers servers;
    private final RevisionReadings readings;
    private final EvidenceStore evidence;
    private final Function<Policy, Optional<List<String>>> affectedBy;

    FactsGathering(
            PolicySettings settings,
            Servers servers,
            RevisionReadings readings,
            EvidenceStore evidence,
            Function<Policy, Optional<List<String>>> affectedBy) {
        this.settings = settings;
        this.servers = servers;
        this.readings = readings;
        this.evidence = evidence;
        this.affectedBy = affectedBy;
    }

    /**
     * All facts.
     *
     * @param refusal why the API server did not take what we wanted to write, in this very pass
     */
    Facts gather(Observation world, Optional<String> refusal) {
        var policy = world.policy();
        var progress = progress(world, world.generation());
        // What is not known to be good is not accepted, and is not told.
        var others = progress.isInitialized()
                ? affectedBy.apply(policy).map(known -> withPrecedence(known, world.precedence()))
                : Optional.<List<String>>empty();
        return new Facts(
                Subject.of(policy),
                world.observed().target(),
                progress,
                registration(world, world.defect().or(() -> refusal)),
                endpoints(world),
                new Precedence(
                        world.conflictsWith(),
                        overriding(world),
                        others,
                        world.precedence().notice()));
    }

    /** When the latest of what proof is needed from came: the webhook's generation, a replica, or a replica's report. */
    Optional<Instant> latestArrival(Observation world) {
        return world.webhook()
                .flatMap(webhook -> Stream.concat(
                                world.revision(webhook.generation()).stream().flatMap(this::times),
                                servers.readyPods(webhook.policyServer()).stream()
                                        .flatMap(pod -> Servers.readySince(pod).stream()))
                        .max(Comparator.naturalOrder()));
    }

    private Stream<Instant> times(PolicyRevision revision) {
        return Stream.concat(
                        Stream.ofNullable(RevisionWriter.status(revision).activatedAt()),
                        readings.of(revision).progress().ready().values().stream()
                                .flatMap(report -> Stream.ofNullable(report.lastTransitionTime())))
                .map(Instant::parse);
    }

    private static RolloutProgress progress(Observation world, long generation) {
        return world.read(generation).map(Revision::progress).orElseGet(() -> RolloutProgress.none(generation));
    }

    private Registration registration(Observation world, Optional<String> refusal) {
        // A path without generation leads to nothing of ours, so nothing is registered.
        return world.webhook()
                .filter(webhook -> webhook.generation() > 0)
                .<Registration>map(webhook -> new Registration.Registered(
                        progress(world, webhook.generation()),
                        webhook.policyServer(),
                        world.read(webhook.generation()).map(Revision::mode).orElse(PolicyMode.PROTECT),
                        world.fidelity().orElseThrow(),
                        refusal))
                .orElseGet(() -> new Registration.Absent(refusal));
    }

    private List<Endpoint> endpoints(Observation world) {
        if (world.webhook().isEmpty()) {
            return List.of();
        }
        var webhook = world.webhook().get();
        var expected = world.revisions().stream()
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

    /** Either takes a part or all; all is what counts. */
    private Overriding overriding(Observation world) {
        var byServer = overridingByServer(world.policy());
        var byPolicies = overriding(world.precedence().loss());
        return switch (byServer) {
            case Overriding.None _ -> byPolicies;
            case Overriding.Wholly _ -> byServer;
            case Overriding.Partly server ->
                switch (byPolicies) {
                    case Overriding.None _ -> byServer;
                    case Overriding.Wholly _ -> byPolicies;
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
            case Loss.Namespaces namespaces ->
                namespaces.isAll() ? new Overriding.Wholly(by) : new Overriding.Partly(by);
            case Loss.Rules _ -> new Overriding.Partly(by);
        };
    }

    /** A server that accepts everything in its own namespace takes that part from policies that mean to see it. */
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
