package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.controller.cluster.Failure;
import io.portcullis.controller.policyserver.ServerStatus.Outcome;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Brings the objects of one policy server to what they should be, step by step. A step that fails does not keep the others
 * from being taken: half a server that is right is better than none.
 */
final class ServerObjects {

    private final KubernetesClient client;
    private final ServerView view;
    private final ObjectWriter writer;
    private final ServerSecrets secrets;
    private final Supplier<Optional<String>> caBundle;
    private final Clock clock;

    ServerObjects(
            KubernetesClient client,
            ServerView view,
            ServerSecrets secrets,
            Supplier<Optional<String>> caBundle,
            Clock clock) {
        this.client = client;
        this.view = view;
        this.writer = new ObjectWriter(client);
        this.secrets = secrets;
        this.caBundle = caBundle;
        this.clock = clock;
    }

    /** Something that may fail. */
    private interface Action {
        /** What the server waits for afterwards. */
        Optional<String> take() throws Exception;
    }

    /** How each step went, in order. */
    List<Outcome> reconcile(PolicyServer server, ServerSpec blueprint, Migration migration)
            throws InterruptedException {
        var outcomes = new ArrayList<Outcome>();
        var workload = "";
        for (ServerStep step : ServerStep.values()) {
            var outcome = attempt(step, () -> take(step, server, blueprint, migration));
            if (step == ServerStep.STATEFUL_SET) {
                workload = outcome.problem();
            }
            // The alias fails with what it stands for.
            outcomes.add(step == ServerStep.DEPLOYMENT && !workload.isEmpty() ? new Outcome(step, workload) : outcome);
        }
        return List.copyOf(outcomes);
    }

    private static Outcome attempt(ServerStep step, Action action) throws InterruptedException {
        try {
            return new Outcome(step, "", action.take());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return new Outcome(step, Failure.text(e));
        }
    }

    private Optional<String> take(ServerStep step, PolicyServer server, ServerSpec blueprint, Migration migration)
            throws Exception {
        var names = blueprint.names();
        var cluster = view.cluster();
        switch (step) {
            case CA -> {
                if (caBundle.get().isEmpty()) {
                    throw new UnmetException("there is no certificate authority yet");
                }
            }
            case RBAC -> {
                requireAllowedAccount(blueprint);
                writer.apply(
                        DesiredObjects.roleBinding(blueprint), view.find(cluster.roleBindings(), names.roleBinding()));
                writer.apply(DesiredObjects.leaseRole(blueprint), view.find(cluster.roles(), names.leaseRole()));
                writer.apply(
                        DesiredObjects.leaseRoleBinding(blueprint),
                        view.find(cluster.roleBindings(), names.leaseRole()));
            }
            case SECRETS -> secrets.ensure(server);
            case CONFIG_MAP ->
                writer.apply(DesiredObjects.configMap(blueprint), view.find(cluster.configMaps(), names.main()));
            case CACHE ->
                writer.applyOrRemove(
                        DesiredObjects.cacheClaim(blueprint),
                        view.find(cluster.volumeClaims(), names.cacheClaim()),
                        blueprint.uid());
            case SERVICES -> {
                writer.apply(DesiredServices.forPods(blueprint), view.find(cluster.services(), names.podsService()));
                writer.apply(
                        DesiredServices.forWebhooks(blueprint, migration), view.find(cluster.services(), names.main()));
            }
            case STATEFUL_SET -> {
                return statefulSet(server, blueprint).waiting();
            }
            case DEPLOYMENT -> {
                if (migration.removesDeployment()) {
                    removeDeployment(names);
                }
            }
            case DISRUPTION_BUDGET ->
                writer.applyOrRemove(
                        DesiredObjects.disruptionBudget(blueprint),
                        view.find(cluster.disruptionBudgets(), names.main()),
                        blueprint.uid());
            case NETWORK_POLICY ->
                writer.applyOrRemove(
                        DesiredNetworkPolicy.of(blueprint),
                        view.find(cluster.networkPolicies(), names.main()),
                        blueprint.uid());
        }
        return Optional.empty();
    }

    /** A service account that is not allowed gets neither permissions nor new pods. Pods that run stay as they are. */
    private void requireAllowedAccount(ServerSpec blueprint) throws UnmetException {
        var name = blueprint.serviceAccount();
        var settings = blueprint.settings();
        var problem = PolicyServerAccount.problem(
                name, view.serviceAccountLabels(name), settings.namespace(), settings.controllerUser());
        if (problem.isPresent()) {
            throw new UnmetException("spec.serviceAccountName: " + problem.get());
        }
    }

    /** Pods that could not start are not asked for: those that run go on with what they have. */
    private Surge statefulSet(PolicyServer server, ServerSpec blueprint) throws UnmetException {
        requireAllowedAccount(blueprint);
        var references = ReferencedObjects.resolve(blueprint, view::secret, view::configMap);
        if (!references.problems().isEmpty()) {
            throw new UnmetException(String.join("; ", references.problems()));
        }
        var names = blueprint.names();
        var former = FormerPods.of(names.statefulSet(), view.cluster().pods().all(), clock.instant());
        if (view.statefulSet(names).isEmpty() && !former.isEmpty()) {
            throw new UnmetException("pods of the StatefulSet before it must end first: " + String.join(", ", former));
        }
        var template = DesiredStatefulSet.template(blueprint, references.configHash());
        var surge = Surge.decide(new Surge.Seen(
                blueprint.spec().fleet().replicas(),
                replacesInPlace(server),
                Applied.digest(template),
                view.statefulSet(names),
                view.pods(names),
                node -> view.cluster().cordonedNodes().get("", node).isPresent(),
                clock.instant()));
        writer.apply(DesiredStatefulSet.of(blueprint, template, surge), view.statefulSet(names));
        return surge;
    }

    private static boolean replacesInPlace(PolicyServer server) {
        var annotations = server.getMetadata().getAnnotations();
        return annotations != null && "true".equals(annotations.get(ServerNames.REPLACE_IN_PLACE));
    }

    private void removeDeployment(ServerNames names) {
        view.deployment(names)
                .filter(deployment -> deployment.getMetadata().getDeletionTimestamp() == null)
                .ifPresent(deployment -> client.resource(deployment)
                        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
                        .delete());
    }

    /** Something that we wait for is not there. */
    static final class UnmetException extends Exception {

        private static final long serialVersionUID = 1L;

        UnmetException(String message) {
            super(message);
        }
    }
}
