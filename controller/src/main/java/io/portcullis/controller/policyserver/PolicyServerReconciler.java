package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.lifecycle.ServerDeletion;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.policyserver.ServerStatus.Outcome;
import io.portcullis.controller.policyserver.ServerStatus.Seen;
import io.portcullis.controller.queue.Reconciler;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One pass for one PolicyServer: its objects are made and repaired, its status is written whatever came of that; when it
 * is being deleted it is held until nothing sends requests to it any more. Keys are names.
 */
public final class PolicyServerReconciler implements Reconciler<String> {

    /** Changes announce themselves; this is for an announcement that got lost, and for what takes a certain time. */
    private static final Duration RECHECK = Duration.ofSeconds(2);

    private final ServerView view;
    private final ServerDefaults settings;
    private final ServerObjects objects;
    private final ServerWriter writer;
    private final Clock clock;

    public PolicyServerReconciler(
            KubernetesClient client,
            ClusterView cluster,
            ServerDefaults settings,
            ServerSecrets secrets,
            Supplier<Optional<String>> caBundle,
            Clock clock) {
        this.view = new ServerView(cluster, settings.namespace());
        this.settings = settings;
        this.objects = new ServerObjects(client, view, secrets, caBundle, clock);
        this.writer = new ServerWriter(client, new ServerEvents(client, clock));
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
                    ? serve(server.get())
                    : release(server.get());
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                // Decided on what is no longer so; the change that made it so is about to be announced.
                return Optional.of(RECHECK);
            }
            throw e;
        }
    }

    private Optional<Duration> serve(PolicyServer server) throws Exception {
        if (!server.getMetadata().getFinalizers().contains(PolicyNames.FINALIZER)) {
            writer.addFinalizer(server);
            return Optional.of(RECHECK);
        }
        var names = new ServerNames(server.getMetadata().getName());
        ServerSpec blueprint;
        try {
            blueprint = ServerSpec.of(server, settings);
        } catch (FlatObject.MalformedException e) {
            var outcomes = Arrays.stream(ServerStep.values())
                    .map(step -> new Outcome(step, String.valueOf(e.getMessage())))
                    .toList();
            report(server, seen(names, outcomes, Optional.empty(), Optional.empty()), List.of());
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
        var outcomes = objects.reconcile(server, blueprint, migration);
        report(
                server,
                seen(names, outcomes, migration.waiting(), tenancy(blueprint)),
                PodEnvironment.of(blueprint).ignored());
        failOn(outcomes);
        boolean waits = outcomes.stream().anyMatch(outcome -> outcome.waiting().isPresent());
        return waits ? Optional.of(RECHECK) : migration.recheck(now);
    }

    private Optional<TenancyReport> tenancy(ServerSpec blueprint) {
        return Optional.ofNullable(blueprint.spec().tenants().tenancy())
                .map(_ -> TenancyReport.of(
                        blueprint, view.policiesOf(blueprint.names().server()), view::namespaceLabels));
    }

    private Seen seen(
            ServerNames names, List<Outcome> outcomes, Optional<String> migration, Optional<TenancyReport> tenancy) {
        return new Seen(
                outcomes,
                view.statefulSet(names),
                view.leader(names),
                migration,
                view.policiesOf(names.server()).size(),
                tenancy);
    }

    private void report(PolicyServer server, Seen seen, List<String> ignoredEnv) {
        writer.report(server, ServerStatus.of(server, seen, clock.instant()), ignoredEnv);
    }

    /** Asks for another try of what has been reported already. */
    private static void failOn(List<Outcome> outcomes) throws ServerObjects.UnmetException {
        var failed = outcomes.stream()
                .filter(Outcome::hasFailed)
                .map(outcome -> outcome.step().condition() + ": " + outcome.problem())
                .collect(Collectors.joining("; "));
        if (!failed.isEmpty()) {
            throw new ServerObjects.UnmetException(failed);
        }
    }

    private Optional<Duration> release(PolicyServer server) {
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
                // Seen by whoever watches before the object is gone: the next pass lets it go.
                writer.report(server, deleting(server, names, true, ""), List.of());
                yield Optional.of(RECHECK);
            }
        };
    }

    private PolicyServerStatus deleting(PolicyServer server, ServerNames names, boolean isCleanedUp, String message) {
        return ServerStatus.deleting(
                server,
                seen(names, List.of(), Optional.empty(), Optional.empty()),
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
