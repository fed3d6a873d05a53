package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * What an installation of Kubewarden leaves in a cluster: a certificate authority made by its chart, a policy server as a
 * Deployment that reads a ConfigMap, policies with a finalizer and a status, webhooks by their old names. The pods of the
 * Deployment run our policy server in standalone mode: it answers the same paths as Kubewarden's.
 *
 * @param watched the namespace of the tenant's policy
 */
record Kubewarden(KubernetesClient client, String namespace, String watched, Path directory) {

    /** Applies everything; only the pods act on it. */
    void install(String module, String registry) {
        var openssl = new OpenSsl(directory);
        openssl.key("ca.key");
        openssl.authority("ca.key", "ca.crt", 3650);
        openssl.leaf("policy-server-default." + namespace + ".svc");
        var manifests = resource()
                .replace("@NAMESPACE@", namespace)
                .replace("@WATCHED@", watched)
                .replace("@MODULE@", module)
                .replace("@REGISTRY@", registry)
                .replace("@CA_CRT@", openssl.base64("ca.crt"))
                .replace("@CA_KEY@", openssl.base64("ca.key"))
                .replace("@TLS_CRT@", openssl.base64("tls.crt"))
                .replace("@TLS_KEY@", openssl.base64("tls.key"));
        load(manifests).forEach(this::write);
    }

    private List<HasMetadata> load(String manifests) {
        return client.load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
                .items();
    }

    /** The way its controller wrote: no field manager but the default one; the status by itself. */
    private void write(HasMetadata object) {
        client.resource(object).create();
        if (object.getApiVersion().startsWith("policies.kubewarden.io/")) {
            client.resource(object).updateStatus();
        }
    }

    private static String resource() {
        try (var in = Objects.requireNonNull(Kubewarden.class.getResourceAsStream("/kubewarden.yaml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
