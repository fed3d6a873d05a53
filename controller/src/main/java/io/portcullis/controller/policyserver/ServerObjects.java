package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.controller.cluster.Failure;
import io.portcullis.controller.policyserver.rollout.FormerPods;
import io.portcullis.controller.policyserver.rollout.Migration;
import io.portcullis.controller.policyserver.rollout.Surge;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.status.ServerStatus.Outcome;
import io.portcullis.controller.policyserver.status.ServerStep;
import io.portcullis.controller.policyserver.workload.Applied;
import io.portcullis.controller.policyserver.workload.DesiredNetworkPolicy;
import io.portcullis.controller.policyserver.workload.DesiredObjects;
import io.portcullis.controller.policyserver.workload.DesiredServices;
import io.portcullis.controller.policyserver.workload.DesiredStatefulSet;
import io.portcullis.controller.policyserver.workload.ObjectWriter;
import io.portcullis.controller.policyserver.workload.ReferencedObjects;
import io.portcullis.controller.policyserver.workload.SourceAuthorities;
import io.portcullis.controller.policyserver.workload.SourceAuthorities.Problem;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Reconciles the objects of one policy server step by step. A failed step does not stop the others: a partly correct
 * server is better than none.
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

    /** Runs all steps and returns their outcomes, in order. */
    List<Outcome> reconcile(
            PolicyServer server, ServerSpec serverSpec, SourceAuthorities authorities, Migration migration)
            throws InterruptedException {
        var outcomes = new ArrayList<Outcome>();
        var workload = "";
        for (ServerStep step : ServerStep.values()) {
            var outcome = attempt(step, () -> runStep(step, server, serverSpec, authorities, migration));
            if (step == ServerStep.STATEFUL_SET) {
                workload = outcome.problem();
            }
            // The alias fails together with the StatefulSet step.
            outcomes.add(step == ServerStep.DEPLOYMENT && !workload.isEmpty() ? new Outcome(step, workload) : outcome);
        }
        return List.copyOf(outcomes);
    }

    /** @param action returns what the server waits for afterwards */
    private static Outcome attempt(ServerStep step, Callable<Optional<String>> action) throws InterruptedException {
        try {
            return new Outcome(step, "", action.call());
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return new Outcome(step, Failure.text(e));
        }
    }

    private Optional<String> runStep(
            ServerStep step,
            PolicyServer server,
            ServerSpec serverSpec,
            SourceAuthorities authorities,
            Migration migration)
            throws Exception {
        var names = serverSpec.names();
        var cluster = view.cluster();
        switch (step) {
            case CA -> {
                if (caBundle.get().isEmpty()) {
                    throw new PreconditionException("there is no certificate authority yet");
                }
            }
            case RBAC -> {
                requireAllowedAccount(serverSpec);
                writer.apply(
                        DesiredObjects.roleBinding(serverSpec), view.find(cluster.roleBindings(), names.roleBinding()));
                writer.apply(DesiredObjects.leaseRole(serverSpec), view.find(cluster.roles(), names.leaseRole()));
                writer.apply(
                        DesiredObjects.leaseRoleBinding(serverSpec),
                        view.find(cluster.roleBindings(), names.leaseRole()));
            }
            case SECRETS -> secrets.ensure(server);
            case CONFIG_MAP -> {
                require(authorities.blocking().stream().map(Problem::toString).toList());
                writer.apply(
                        DesiredObjects.configMap(serverSpec, authorities),
                        view.find(cluster.configMaps(), names.main()));
            }
            case CACHE ->
                writer.applyOrRemove(
                        DesiredObjects.cacheClaim(serverSpec),
                        view.find(cluster.volumeClaims(), names.cacheClaim()),
                        serverSpec.uid());
            case SERVICES -> {
                writer.apply(DesiredServices.forPods(serverSpec), view.find(cluster.services(), names.podsService()));
                writer.apply(
                        DesiredServices.forWebhooks(serverSpec, migration),
                        view.find(cluster.services(), names.main()));
            }
            case STATEFUL_SET -> {
                return statefulSet(server, serverSpec, authorities).waiting();
            }
            case DEPLOYMENT -> {
                if (migration.removesDeployment()) {
                    removeDeployment(names);
                }
            }
            case DISRUPTION_BUDGET ->
                writer.applyOrRemove(
                        DesiredObjects.disruptionBudget(serverSpec),
                        view.find(cluster.disruptionBudgets(), names.main()),
                        serverSpec.uid());
            case NETWORK_POLICY ->
                writer.applyOrRemove(
                        DesiredNetworkPolicy.of(serverSpec),
                        view.find(cluster.networkPolicies(), names.main()),
                        serverSpec.uid());
        }
        return Optional.empty();
    }

    private static void require(List<String> problems) throws PreconditionException {
        if (!problems.isEmpty()) {
            throw new PreconditionException(String.join("; ", problems));
        }
    }

    /** A service account that is not allowed gets neither permissions nor new pods. Running pods stay as they are. */
    private void requireAllowedAccount(ServerSpec serverSpec) throws PreconditionException {
        var name = serverSpec.serviceAccount();
        var settings = serverSpec.settings();
        var problem = PolicyServerAccount.problem(
                name, view.serviceAccountLabels(name), settings.namespace(), settings.controllerUser());
        if (problem.isPresent()) {
            throw new PreconditionException("spec.serviceAccountName: " + problem.get());
        }
    }

    /** Does not roll out pods that could not start; running pods keep their configuration. */
    private Surge statefulSet(PolicyServer server, ServerSpec serverSpec, SourceAuthorities authorities)
            throws PreconditionException {
        requireAllowedAccount(serverSpec);
        var references = ReferencedObjects.resolve(serverSpec, authorities, view::secret, view::configMap);
        require(references.problems());
        var names = serverSpec.names();
        var former = FormerPods.of(names.statefulSet(), view.cluster().pods().all(), clock.instant());
        if (view.statefulSet(names).isEmpty() && !former.isEmpty()) {
            throw new PreconditionException(
                    "pods of the previous StatefulSet must terminate first: " + String.join(", ", former));
        }
        var template = DesiredStatefulSet.template(serverSpec, references.configHash());
        var surge = Surge.decide(new Surge.Seen(
                serverSpec.spec().fleet().replicas(),
                replacesInPlace(server),
                Applied.digest(template),
                view.statefulSet(names),
                view.pods(names),
                node -> view.cluster().cordonedNodes().get("", node).isPresent(),
                clock.instant()));
        writer.apply(DesiredStatefulSet.of(serverSpec, template, surge), view.statefulSet(names));
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

    /** A precondition of a step is not met. */
    static final class PreconditionException extends Exception {

        private static final long serialVersionUID = 1L;

        PreconditionException(String message) {
            super(message);
        }
    }
}
