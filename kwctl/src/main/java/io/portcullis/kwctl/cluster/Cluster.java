package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.api.policyserver.ReplicaReport;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.process.args.ParsedArguments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The cluster, with the permissions of the user. All methods block. Failures are {@link CommandException}s of one line. Not
 * thread-safe.
 */
final class Cluster implements AutoCloseable {

    private final KubernetesClient client;

    private Cluster(KubernetesClient client) {
        this.client = client;
    }

    /** Creates the client. Does not connect yet. */
    static Cluster of(ParsedArguments arguments, CommandSession session) {
        return new Cluster(new KubernetesClientBuilder()
                .withConfig(KubeAccess.config(arguments, session))
                .build());
    }

    /**
     * The policies that the user may list.
     *
     * @param remarks notes about the policies that the user may not list
     */
    record Listing(List<Policy> policies, List<String> remarks) {}

    /** Lists policies. Leaves out forbidden kinds with a note; fails only if the user may list no kind. */
    Listing policies(PolicyScope scope) {
        var policies = new ArrayList<Policy>();
        var remarks = new ArrayList<String>();
        var failures = new ArrayList<KubernetesClientException>();
        for (PolicyKind kind : scope.kinds()) {
            try {
                policies.addAll(list(kind, scope.namespace(), remarks));
            } catch (KubernetesClientException e) {
                if (!ApiFailure.isForbidden(e) && !ApiFailure.isMissing(e)) {
                    throw failure("list " + kind.plural(), e);
                }
                failures.add(e);
                remarks.add(
                        ApiFailure.isMissing(e)
                                ? "the cluster does not know " + kind.plural()
                                : "you are not allowed to list " + kind.plural());
            }
        }
        if (failures.size() == scope.kinds().size()) {
            throw failures.stream().allMatch(ApiFailure::isMissing)
                    ? new CommandException("the cluster at " + address()
                            + " does not know Kubewarden's policies: its custom resource definitions are not installed")
                    : failure(
                            "list policies",
                            failures.stream()
                                    .filter(ApiFailure::isForbidden)
                                    .findFirst()
                                    .orElseThrow());
        }
        return new Listing(policies, remarks);
    }

    /**
     * Lists the policies of one kind. A tenant may be allowed to list only its own namespace; then returns only that
     * namespace.
     */
    private List<? extends Policy> list(PolicyKind kind, Optional<String> namespace, List<String> remarks) {
        if (!kind.isNamespaced()) {
            return client.resources(kind.type()).list().getItems();
        }
        if (namespace.isPresent()) {
            return client.resources(kind.type())
                    .inNamespace(namespace.get())
                    .list()
                    .getItems();
        }
        try {
            return client.resources(kind.type()).inAnyNamespace().list().getItems();
        } catch (KubernetesClientException e) {
            var own = client.getNamespace();
            if (!ApiFailure.isForbidden(e) || own == null) {
                throw e;
            }
            var items = client.resources(kind.type()).inNamespace(own).list().getItems();
            remarks.add(
                    "you are not allowed to list " + kind.plural() + " of all namespaces; shown are those of " + own);
            return items;
        }
    }

    /**
     * Lists the revisions of a policy.
     *
     * @param near the namespace to try when the user may not list all namespaces; revisions are in the controller's
     *     namespace
     */
    Reading<List<PolicyRevision>> revisions(Policy policy, Optional<String> near) {
        var uid = policy.getMetadata().getUid();
        var anywhere = attempt(
                "policyrevisions",
                () -> client.resources(PolicyRevision.class)
                        .inAnyNamespace()
                        .withLabel(RevisionNames.POLICY_UID, uid)
                        .list()
                        .getItems());
        return anywhere instanceof Reading.Hidden && near.isPresent()
                ? attempt(
                        "policyrevisions",
                        () -> client.resources(PolicyRevision.class)
                                .inNamespace(near.get())
                                .withLabel(RevisionNames.POLICY_UID, uid)
                                .list()
                                .getItems())
                : anywhere;
    }

    /** Returns the reports of a PolicyServer's replicas about memory and quarantined modules. */
    Reading<List<ReplicaReport>> replicaReports(String policyServer) {
        return attempt(
                "policyservers",
                () -> Optional.ofNullable(client.resources(PolicyServer.class)
                                .withName(policyServer)
                                .get())
                        .map(PolicyServer::getStatus)
                        .map(PolicyServerStatus::replicaReports)
                        .orElse(List.of()));
    }

    /** Returns all webhooks that belong to policies. */
    Reading<List<RegisteredWebhook>> webhooks() {
        var admission = client.admissionRegistration().v1();
        return attempt(
                "webhook configurations",
                () -> Stream.concat(
                                admission
                                        .validatingWebhookConfigurations()
                                        .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                                        .list()
                                        .getItems()
                                        .stream()
                                        .flatMap(RegisteredWebhook::of),
                                admission
                                        .mutatingWebhookConfigurations()
                                        .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                                        .list()
                                        .getItems()
                                        .stream()
                                        .flatMap(RegisteredWebhook::of))
                        .toList());
    }

    private <T> Reading<T> attempt(String what, Supplier<T> request) {
        try {
            return new Reading.Seen<>(request.get());
        } catch (KubernetesClientException e) {
            if (ApiFailure.isForbidden(e)) {
                return new Reading.Hidden<>("you are not allowed to list " + what);
            }
            if (ApiFailure.isMissing(e)) {
                return new Reading.Hidden<>("the cluster does not know " + what);
            }
            throw failure("list " + what, e);
        }
    }

    Optional<Namespace> namespace(String name) {
        try {
            return Optional.ofNullable(client.namespaces().withName(name).get());
        } catch (KubernetesClientException e) {
            throw failure("read namespace " + name + ", whose labels decide which policies apply", e);
        }
    }

    Reading<List<String>> namespaceNames() {
        return attempt(
                "namespaces",
                () -> client.namespaces().list().getItems().stream()
                        .map(namespace -> namespace.getMetadata().getName())
                        .toList());
    }

    Policy requestRollback(PolicyRef ref, String request) {
        var annotation = "{\"metadata\":{\"annotations\":{\"" + PolicyNames.ROLLBACK_TO + "\":\"" + request + "\"}}}";
        try {
            return resource(ref).patch(PatchContext.of(PatchType.JSON_MERGE), annotation);
        } catch (KubernetesClientException e) {
            throw failure("roll back " + ref.display(), e);
        }
    }

    /**
     * Watches a policy until the condition holds. The condition receives every version of the policy, and an empty value
     * after its deletion.
     *
     * @return whether the condition held in time
     */
    boolean watch(PolicyRef ref, Predicate<Optional<Policy>> condition, Duration limit) {
        try {
            resource(ref)
                    .waitUntilCondition(
                            policy -> condition.test(Optional.ofNullable(policy)),
                            limit.toMillis(),
                            TimeUnit.MILLISECONDS);
            return true;
        } catch (KubernetesClientTimeoutException _) {
            return false;
        } catch (KubernetesClientException e) {
            throw failure("watch " + ref.display(), e);
        }
    }

    private Resource<? extends Policy> resource(PolicyRef ref) {
        return ref.kind().isNamespaced()
                ? client.resources(ref.kind().type())
                        .inNamespace(ref.namespace())
                        .withName(ref.name())
                : client.resources(ref.kind().type()).withName(ref.name());
    }

    private String address() {
        return String.valueOf(client.getMasterUrl());
    }

    private CommandException failure(String intent, KubernetesClientException e) {
        return ApiFailure.of(intent, address(), e);
    }

    @Override
    public void close() {
        client.close();
    }
}
