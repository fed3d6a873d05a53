package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.kwctl.KwctlRunner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the error messages when requests to the cluster fail. */
class ClusterErrorsTest {

    @TempDir
    Path directory;

    private Path kubeconfig(String server) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: u, user: {token: secret-token}}]
                contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c, user: u}}]
                """.formatted(server));
    }

    private KwctlRunner.Result kwctl(String... words) {
        return new KwctlRunner(directory).run(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "401 | does not accept your credentials (401)",
                "403 | you are not allowed to list policies: no, said the server",
                "404 | does not know Kubewarden's policies: its custom resource definitions are not installed",
                "500 | cannot list admissionpolicies: no, said the server",
            })
    void reportsErrorResponsesInOneLine(int code, String explanation) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var body =
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"no, said the server\",\"code\":%d}"
                            .formatted(code)
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            var file = kubeconfig("http://127.0.0.1:" + server.getAddress().getPort());

            var result = kwctl("status", "--kubeconfig", file.toString());

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).startsWith("Error: ").contains(explanation).hasLineCount(1);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void reportsARefusedConnection() throws Exception {
        var file = kubeconfig("http://127.0.0.1:1");

        var result = kwctl("what-applies", "default", "--kubeconfig", file.toString());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("Error: cannot reach the cluster at http://127.0.0.1:1/: connection refused\n");
    }

    @Test
    void listsTheContextsOfTheKubeconfig() throws Exception {
        var file = kubeconfig("http://127.0.0.1:1");

        assertThat(kwctl("wait", "x", "--kubeconfig", file.toString(), "--context", "nowhere")
                        .err())
                .isEqualTo("Error: the kubeconfig has no context \"nowhere\"; it has here, there\n");
    }

    @Test
    void reportsAMissingCluster() {
        assertThat(kwctl("status").err())
                .startsWith("Error: no cluster is configured: ")
                .hasLineCount(1);
        assertThat(kwctl("status", "--kubeconfig", "none").err())
                .isEqualTo("Error: cannot read kubeconfig " + directory.resolve("none") + "\n");
        assertThat(new KwctlRunner(directory)
                        .with("KUBECONFIG", "elsewhere")
                        .run("status")
                        .err())
                .isEqualTo("Error: cannot read kubeconfig " + directory.resolve("elsewhere") + "\n");
    }

    @Test
    void doesNotQuoteAnInvalidKubeconfig() throws Exception {
        var file = Files.writeString(directory.resolve("broken"), "users: [{token: s3cret");

        var result = kwctl("status", "--kubeconfig", file.toString());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("Error: kubeconfig ")
                .doesNotContain("s3cret")
                .hasLineCount(1);
    }

    @Test
    void checksArgumentsBeforeAnyRequest() {
        assertThat(kwctl("wait", "x", "--for", "godot").err()).startsWith("Error: cannot wait for \"godot\"");
        assertThat(kwctl("wait", "x", "--timeout", "soon").err()).startsWith("Error: \"soon\" is not a duration");
        assertThat(kwctl("status", "x", "--kind", "Pod").code()).isEqualTo(2);
        assertThat(kwctl("rollback").code()).isEqualTo(2);
    }

    @Test
    void distinguishesAWebhookRejectionFromAMissingPermission() {
        assertThat(refusal(403, "admission webhook \"w\" denied the request: no revision of generation 7 is kept"))
                .isEqualTo("the cluster refused to roll back x: admission webhook \"w\" denied the request: no revision"
                        + " of generation 7 is kept");
        assertThat(refusal(403, "policies is forbidden")).startsWith("you are not allowed to roll back x: ");
    }

    private static String refusal(int code, String message) {
        var status = new StatusBuilder().withCode(code).withMessage(message).build();
        return String.valueOf(ApiFailure.of("roll back x", "https://c", new KubernetesClientException(status))
                .getMessage());
    }
}
