package io.portcullis.controller.admission.http;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.process.tls.SwappableTls;
import io.portcullis.process.tls.TlsException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The authorities whose client certificates the webhooks accept: those in a ConfigMap, for the API server, and our own.
 * Updates when either changes. Until the ConfigMap has been read, no client is accepted.
 */
public final class ClientAuthorities implements AutoCloseable {

    private static final String KEY = "client-ca.crt";
    private static final Logger log = LoggerFactory.getLogger(ClientAuthorities.class);

    private final String configMap;
    private final SwappableTls tls;
    private final Watched<ConfigMap> watched;
    // Guarded by this.
    private Optional<String> configured = Optional.empty();
    private Optional<String> own = Optional.empty();

    public ClientAuthorities(KubernetesClient client, String namespace, String configMap, SwappableTls tls) {
        this.configMap = configMap;
        this.tls = tls;
        watched = new Watched<>(
                client.configMaps().inNamespace(namespace).withName(configMap).runnableInformer(0));
        watched.onChange((_, after) -> configured(after));
    }

    /** Returns when the ConfigMap has been looked up. */
    public void start() {
        watched.start();
        if (watched.all().isEmpty()) {
            log.atError().addKeyValue("configmap", configMap).log("missing, so no client can call the webhooks");
        }
    }

    private void configured(@Nullable ConfigMap map) {
        var pem = Optional.ofNullable(map).map(ConfigMap::getData).map(data -> data.get(KEY));
        if (pem.isEmpty()) {
            log.atError().addKeyValue("configmap", configMap).log("has no " + KEY);
            return;
        }
        synchronized (this) {
            configured = pem;
            trust();
        }
    }

    /** Sets our own authority and its predecessor. */
    public synchronized void own(String bundle) {
        own = Optional.of(bundle);
        trust();
    }

    private void trust() {
        if (configured.isEmpty()) {
            return;
        }
        Map<String, String> authorities = new LinkedHashMap<>();
        configured.ifPresent(pem -> authorities.put("ConfigMap " + configMap, pem));
        own.ifPresent(pem -> authorities.put("our authority", pem));
        try {
            tls.trust(authorities);
        } catch (TlsException e) {
            log.atError()
                    .addKeyValue("error", e.getMessage())
                    .log("cannot use the client authorities, keeping the old ones");
        }
    }

    @Override
    public void close() {
        watched.close();
    }
}
