package io.portcullis.controller.admission;

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
 * Whose client certificates the webhooks accept: those of a ConfigMap, which the API server's come from, and those of our
 * own authority. Both are followed; until the first are here nobody is accepted.
 */
public final class ClientAuthorities implements AutoCloseable {

    private static final String KEY = "client-ca.crt";
    private static final Logger log = LoggerFactory.getLogger(ClientAuthorities.class);

    private final String configMap;
    private final SwappableTls tls;
    private final Watched<ConfigMap> watched;
    // Guarded by this.
    private Optional<String> given = Optional.empty();
    private Optional<String> own = Optional.empty();

    public ClientAuthorities(KubernetesClient client, String namespace, String configMap, SwappableTls tls) {
        this.configMap = configMap;
        this.tls = tls;
        watched = new Watched<>(
                client.configMaps().inNamespace(namespace).withName(configMap).runnableInformer(0));
        watched.onChange((_, after) -> given(after));
    }

    /** Done when the ConfigMap was looked for. */
    public void start() {
        watched.start();
        if (watched.all().isEmpty()) {
            log.atError().addKeyValue("configmap", configMap).log("missing: nobody can call the webhooks");
        }
    }

    private void given(@Nullable ConfigMap map) {
        var pem = Optional.ofNullable(map).map(ConfigMap::getData).map(data -> data.get(KEY));
        if (pem.isEmpty()) {
            log.atError().addKeyValue("configmap", configMap).log("has no " + KEY);
            return;
        }
        synchronized (this) {
            given = pem;
            trust();
        }
    }

    /** Our own authority, and its predecessor. */
    public synchronized void own(String bundle) {
        own = Optional.of(bundle);
        trust();
    }

    private void trust() {
        if (given.isEmpty()) {
            return;
        }
        Map<String, String> authorities = new LinkedHashMap<>();
        given.ifPresent(pem -> authorities.put("ConfigMap " + configMap, pem));
        own.ifPresent(pem -> authorities.put("our authority", pem));
        try {
            tls.trust(authorities);
        } catch (TlsException e) {
            log.atError().addKeyValue("error", e.getMessage()).log("client authorities not taken, the old ones stay");
        }
    }

    @Override
    public void close() {
        watched.close();
    }
}
