package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.evaluator.host.FieldMasks;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostJson;
import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.KubernetesReader;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the cluster for context-aware policies, with the identity of this server. Thread-safe. */
public final class ClusterReader implements KubernetesReader, AutoCloseable {

    private static final String ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

    private final ApiClient api;
    private final ResourceTypes types;
    private final Reflectors reflectors;

    /** @param client the caller owns and closes it */
    public ClusterReader(KubernetesClient client, InstantSource clock) {
        this.api = new ApiClient(client);
        this.types = new ResourceTypes(api);
        this.reflectors = new Reflectors(client, api, clock);
    }

    @Override
    public byte[] list(ListQuery query, Deadline deadline) {
        var type = types.find(query.apiVersion(), query.kind());
        if (query.namespace().isPresent() && !type.namespaced()) {
            throw new HostCallException(
                    "resource " + type + " is cluster wide. Cannot search for it inside of a namespace");
        }
        try {
            return reflectors.list(type, query, deadline);
        } catch (TypeGoneException e) {
            types.remove(type);
            throw new HostCallException("Cannot find resource " + type, e);
        }
    }

    @Override
    public byte[] get(KubernetesGetResource query, Deadline deadline) {
        var type = types.find(query.apiVersion(), query.kind());
        if (type.namespaced() && query.namespace() == null) {
            throw new HostCallException("Resource " + type + " is namespaced, but no namespace was provided");
        }
        var path = type.path(Optional.ofNullable(query.namespace())) + "/" + ApiClient.escape(query.name());
        var object = api.get(path).orElseThrow(() -> notFound(type, query)).getBytes(StandardCharsets.UTF_8);
        List<String> masks = query.fieldMasks();
        if (masks == null || masks.isEmpty()) {
            return object;
        }
        return HostJson.write(FieldMasks.of(masks).apply(HostJson.read(object, ObjectNode.class)));
    }

    private HostCallException notFound(ResourceType type, KubernetesGetResource query) {
        types.remove(type);
        var where = type.namespaced() ? " inside of namespace '" + query.namespace() + "'" : "";
        return new HostCallException("Cannot find " + type + " named '" + query.name() + "'" + where);
    }

    @Override
    public byte[] canI(AccessReview review, Deadline deadline) {
        var spec = Map.of(
                "user", review.user(),
                "groups", Optional.ofNullable(review.groups()).orElse(List.of()),
                "resourceAttributes", HostJson.tree(review.resourceAttributes()));
        var body = Map.of("apiVersion", "authorization.k8s.io/v1", "kind", "SubjectAccessReview", "spec", spec);
        return HostJson.write(api.post(ACCESS_REVIEWS, body).path("status"));
    }

    @Override
    public String pluralName(String apiVersion, String kind, Deadline deadline) {
        return types.find(apiVersion, kind).plural();
    }

    /** Returns the number of watched lists, for metrics. */
    public int watchedLists() {
        return reflectors.size();
    }

    @Override
    public void close() {
        reflectors.close();
    }
}
