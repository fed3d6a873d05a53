package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.policyserver.rollout.Migration;
import io.portcullis.controller.policyserver.rollout.Rollout;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.status.ServerStatus;
import io.portcullis.controller.policyserver.status.ServerStatus.Outcome;
import io.portcullis.controller.policyserver.status.ServerStatus.Seen;
import io.portcullis.controller.policyserver.status.ServerStep;
import io.portcullis.controller.policyserver.status.TenancyReport;
import io.portcullis.controller.policyserver.workload.PodEnvironment;
import io.portcullis.controller.policyserver.workload.SourceAuthorities;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.core.lifecycle.ServerDeletion;
import io.portcullis.process.kubernetes.EventWriter;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Reconciles one PolicyServer. Creates and repairs its objects, and writes its status whether or not that succeeded.
 * Holds the finalizer of a deleted server until no webhook sends requests to it. Keys are names.
 */
public final class PolicyServerReconciler implements Reconciler<String> {

    /** Watches report changes; this interval covers lost events and waiting times. */
    private static final Duration RECHECK = Duration.ofSeconds(2);

    private final ServerView view;
    private final ServerDefaults settings;
    private final ServerObjects objects;
    private final ServerWriter writer;
    private final Clock clock;

    public PolicyServerReconciler(
            KubernetesClient client,
            EventWriter events,
            ClusterView cluster,
            ServerDefaults settings,
            ServerSecrets secrets,
            Supplier<Optional<String>> caBundle,
            Clock clock) {
        this.view = new ServerView(cluster, settings.namespace());
        this.settings = settings;
        this.objects = new ServerObjects(client, view, secrets, caBundle, clock);
        this.writer = new ServerWriter(client, events);
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(String name) throws Exception {
        var server = view.server(name);
        if (server.isEmpty()) {
            return Optional.empty();
        }
        try {
            return server.get().getMetadata().getDeletionTimestamp() == null
                    ? reconcileServer(server.get())
                    : reconcileDeletion(server.get());
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                // Our cached object is stale; the watch event that updates it is about to arrive.
                return Optional.of(RECHECK);
            }
            throw e;
        }
    }

    private Optional<Duration> reconcileServer(PolicyServer server) throws Exception {
        if (!server.getMetadata().getFinalizers().contains(PolicyNames.FINALIZER)) {
            writer.addFinalizer(server);
            return Optional.of(RECHECK);
        }
        var names = new ServerNames(server.getMetadata().getName());
        ServerSpec serverSpec;
        try {
            serverSpec = ServerSpec.of(server, settings);
        } catch (FlatObject.MalformedException e) {
            var outcomes = Arrays.stream(ServerStep.values())
                    .map(step -> new Outcome(step, String.valueOf(e.getMessage())))
                    .toList();
            report(server, seen(names, outcomes, Optional.empty(), Optional.empty(), Optional.empty()), List.of());
            return Optional.empty();
        }
        var rollout = Rollout.of(view.statefulSet(names));
        var now = clock.instant();
        var deployment = view.deployment(names);
        var migration = Migration.decide(
                names,
                deployment,
                view.find(view.cluster().services(), names.main()),
                rollout,
                deployment.isPresent() ? view.bound(names.server()).notLoaded(rollout.wanted()) : List.of(),
                now);
        var authorities = SourceAuthorities.resolve(serverSpec, view::secret, view::configMap);
        var outcomes = objects.reconcile(server, serverSpec, authorities, migration);
        report(
                server,
                seen(
                        names,
                        outcomes,
                        migration.waiting(),
                        tenancy(serverSpec),
                        Optional.of(authorities).filter(SourceAuthorities::isReferring)),
                PodEnvironment.of(serverSpec).ignored());
        failOn(outcomes);
        boolean isWaiting =
                outcomes.stream().anyMatch(outcome -> outcome.waiting().isPresent());
        return isWaiting ? Optional.of(RECHECK) : migration.recheck(now);
    }

    private Optional<TenancyReport> tenancy(ServerSpec serverSpec) {
        return Optional.ofNullable(serverSpec.spec().tenants().tenancy())
                .map(_ -> TenancyReport.of(
                        serverSpec, view.policiesOf(serverSpec.names().server()), view::namespaceLabels));
    }

    private Seen seen(
            ServerNames names,
            List<Outcome> outcomes,
            Optional<String> migration,
            Optional<TenancyReport> tenancy,
            Optional<SourceAuthorities> authorities) {
        return new Seen(
                outcomes,
                view.statefulSet(names),
                view.leader(names),
                migration,
                view.policiesOf(names.server()).size(),
                tenancy,
                authorities);
    }

    private void report(PolicyServer server, Seen seen, List<String> ignoredEnv) {
        writer.report(server, ServerStatus.of(server, seen, clock.instant()), ignoredEnv);
    }

    /** Throws, so that the queue retries failures that the status already reports. */
    private static void failOn(List<Outcome> outcomes) throws ServerObjects.PreconditionException {
        var failed = outcomes.stream()
                .filter(Outcome::hasFailed)
                .map(outcome -> outcome.step().condition() + ": " + outcome.problem())
                .collect(Collectors.joining("; "));
        if (!failed.isEmpty()) {
            throw new ServerObjects.PreconditionException(failed);
        }
    }

    private Optional<Duration> reconcileDeletion(PolicyServer server) {
        if (!writer.hasFinalizer(server)) {
            return Optional.empty();
        }
        var names = new ServerNames(server.getMetadata().getName());
        var bound = view.bound(names.server());
        var now = clock.instant();
        return switch (ServerDeletion.decide(bound.withWebhook(), bound.latestDrain(), now)) {
            case ServerDeletion.Waiting waiting -> {
                writer.report(server, deleting(server, names, false, waiting.message()), List.of());
                yield Optional.of(waiting.recheckAt()
                        .map(at -> Duration.between(now, at).plusMillis(1))
                        .filter(wait -> wait.compareTo(RECHECK) > 0)
                        .orElse(RECHECK));
            }
            case ServerDeletion.Done _ -> {
                if (isReportedCleanedUp(server)) {
                    writer.removeFinalizers(server);
                    yield Optional.empty();
                }
                // Makes the condition visible to clients before the object is gone; the next pass removes the
                // finalizer.
                writer.report(server, deleting(server, names, true, ""), List.of());
                yield Optional.of(RECHECK);
            }
        };
    }

    private PolicyServerStatus deleting(PolicyServer server, ServerNames names, boolean isCleanedUp, String message) {
        return ServerStatus.deleting(
                server,
                seen(names, List.of(), Optional.empty(), Optional.empty(), Optional.empty()),
                isCleanedUp,
                message,
                clock.instant());
    }

    private static boolean isReportedCleanedUp(PolicyServer server) {
        return ServerStatus.find(ServerStatus.previous(server), PolicyServerNames.WEBHOOKS_CLEANED_UP)
                .filter(condition -> condition.getStatus().equals(ServerStatus.TRUE))
                .isPresent();
    }
}
