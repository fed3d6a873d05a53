package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.portcullis.testkit.cluster.TestCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/**
 * The certificates of an installation with one PolicyServer.
 *
 * @param files for keys and certificates that tests make
 */
record InstalledCertificates(TestCluster cluster, String policyServer, Path files) {

    private static final String AUTHORITY = "kubewarden-ca";

    /** As base64 of PEM; empty if there is none. */
    private String of(String secret, String key) {
        return cluster.client()
                .secrets()
                .inNamespace(cluster.namespace())
                .withName(secret)
                .get()
                .getData()
                .getOrDefault(key, "");
    }

    /** All but the authority's. */
    private List<String> leaves() {
        return Stream.of(
                        "kubewarden-webhook-server-cert",
                        "kubewarden-audit-scanner-client-cert",
                        "policy-server-" + policyServer,
                        "policy-server-" + policyServer + "-cache-signer")
                .map(secret -> of(secret, "tls.crt"))
                .toList();
    }

    /**
     * Gives the authority a certificate that ends so soon that everything must be replaced. It has the key and the name of the
     * present one: what is in use stays valid.
     *
     * @return the certificate, as base64 of PEM
     */
    private String endAuthority() {
        var openssl = new OpenSsl(files);
        openssl.write("ca.key", pem(of(AUTHORITY, "ca.key")));
        openssl.authority("ca.key", "ending.crt", 30);
        var ending = openssl.base64("ending.crt");
        cluster.client()
                .secrets()
                .inNamespace(cluster.namespace())
                .withName(AUTHORITY)
                .edit(secret -> {
                    secret.getData().put("ca.crt", ending);
                    return secret;
                });
        return ending;
    }

    /**
     * Makes the controller replace the authority and every certificate, and waits until it has.
     *
     * @return the certificate of the replaced authority, as base64 of PEM
     */
    String replaceAll(Duration limit) {
        var before = leaves();
        var ending = endAuthority();
        await("new certificates").atMost(limit).untilAsserted(() -> {
            assertThat(formerAuthority()).isEqualTo(ending);
            assertThat(leaves()).doesNotContainAnyElementsOf(before).doesNotContain("");
        });
        return ending;
    }

    String authority() {
        return of(AUTHORITY, "ca.crt");
    }

    private String formerAuthority() {
        return of(AUTHORITY, "old-ca.crt");
    }

    static String pem(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.US_ASCII).strip();
    }
}
