package io.portcullis.audit.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import io.portcullis.audit.cluster.Lister;
import io.portcullis.audit.targets.AuditScope;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads policies and their live webhooks from the API server. */
public final class PolicyDiscovery {

    private final KubernetesApi api;
    private final Lister lister;
    private final Optional<URI> server;

    /** @param server replaces scheme, host and port of every webhook */
    public PolicyDiscovery(KubernetesApi api, Lister lister, Optional<URI> server) {
        this.api = api;
        this.lister = lister;
        this.server = server;
    }

    /**
     * Finds all policies that may apply to objects of the scope.
     *
     * @throws ApiException if policies or webhooks cannot be listed, because reports without them would be wrong
     */
    public PolicyInventory find(AuditScope scope) {
        var policies = new ArrayList<PolicyInventory.Found>();
        for (var kind : PolicyKind.values()) {
            if (!(scope instanceof AuditScope.ClusterWide && kind.isNamespaced())) {
                lister.list(
                        path(kind, scope.namespace()), object -> policies.add(new PolicyInventory.Found(kind, object)));
            }
        }
        Map<String, Webhook> webhooks = new HashMap<>();
        Map<String, String> damaged = new HashMap<>();
        for (var flavour : List.of(Webhook.Flavour.MUTATING, Webhook.Flavour.VALIDATING)) {
            lister.list(flavour.path(), object -> add(flavour, object, webhooks, damaged));
        }
        return PolicyInventory.of(policies, webhooks, damaged);
    }

    private void add(
            Webhook.Flavour flavour, ObjectNode object, Map<String, Webhook> webhooks, Map<String, String> damaged) {
        try {
            var webhook = Webhook.read(flavour, object, server);
            webhooks.put(webhook.name(), webhook);
        } catch (IllegalArgumentException e) {
            // The list also contains webhooks of other products. The reason is reported only if the name matches a
            // policy.
            damaged.put(object.path("metadata").path("name").asText(), String.valueOf(e.getMessage()));
        }
    }

    private static String path(PolicyKind kind, Optional<String> namespace) {
        var root = "/apis/" + PolicyKind.GROUP + "/" + PolicyKind.VERSION;
        return namespace
                        .filter(_ -> kind.isNamespaced())
                        .map(name -> root + "/namespaces/" + KubernetesApi.escape(name))
                        .orElse(root)
                + "/" + kind.plural();
    }

    /**
     * Returns the current endpoint of a policy; empty if the policy is no longer enforced. The policy may have
     * changed between mutating and validating.
     *
     * @throws ApiException if the webhook cannot be read
     */
    public Optional<Endpoint> currentEndpoint(AuditedPolicy policy) {
        for (var flavour : Webhook.Flavour.values()) {
            try {
                var live = api.getTree(flavour.path() + "/" + KubernetesApi.escape(policy.id()));
                return Optional.of(Webhook.read(flavour, live, server).endpoint());
            } catch (ApiException e) {
                if (!e.isNotFound()) {
                    throw e;
                }
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }
}
