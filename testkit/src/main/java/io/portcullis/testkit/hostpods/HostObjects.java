package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Informer caches for the objects of one namespace that pods use. Watches are cheaper than several requests per second
 * to the API server. Callers must not change the objects.
 */
final class HostObjects implements AutoCloseable {

    private final SharedIndexInformer<StatefulSet> statefulSets;
    private final SharedIndexInformer<Deployment> deployments;
    private final SharedIndexInformer<Service> services;
    private final SharedIndexInformer<Secret> secrets;
    private final SharedIndexInformer<ConfigMap> configMaps;

    HostObjects(KubernetesClient client, String namespace) {
        statefulSets = client.apps().statefulSets().inNamespace(namespace).inform();
        deployments = client.apps().deployments().inNamespace(namespace).inform();
        services = client.services().inNamespace(namespace).inform();
        secrets = client.secrets().inNamespace(namespace).inform();
        configMaps = client.configMaps().inNamespace(namespace).inform();
    }

    List<StatefulSet> statefulSets() {
        return statefulSets.getStore().list();
    }

    List<Deployment> deployments() {
        return deployments.getStore().list();
    }

    List<Service> services() {
        return services.getStore().list();
    }

    Optional<Secret> secret(String name) {
        return find(secrets, name);
    }

    Optional<ConfigMap> configMap(String name) {
        return find(configMaps, name);
    }

    private static <T extends HasMetadata> Optional<T> find(SharedIndexInformer<T> objects, String name) {
        return objects.getStore().list().stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst();
    }

    @Override
    public void close() {
        Stream.of(statefulSets, deployments, services, secrets, configMaps).forEach(SharedIndexInformer::stop);
    }
}
