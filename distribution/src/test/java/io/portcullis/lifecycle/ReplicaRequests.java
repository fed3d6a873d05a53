package io.portcullis.lifecycle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.process.tls.ClientTls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks one replica of a policy server directly, as the API server would: a replica answers also while there is no API
 * server. Whose certificate the replica shows is not checked.
 */
final class ReplicaRequests implements PodRequests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final URI replica;
    private final String path;
    private final HttpClient http;

    /**
     * @param replica scheme, address and port
     * @param path of the policy's webhook
     */
    ReplicaRequests(URI replica, String path) {
        this.replica = replica;
        this.path = path;
        this.http = HttpClient.newBuilder()
                .sslContext(ClientTls.load(List.of(), Optional.empty()).trustingAnybody())
                .connectTimeout(LIMIT)
                .build();
    }

    @Override
    public Answer privilegedPod() {
        return ask(true);
    }

    @Override
    public Answer ordinaryPod() {
        return ask(false);
    }

    private Answer ask(boolean privileged) {
        try {
            var answer = http.send(
                    request(path)
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(review(privileged)))
                            .build(),
                    BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                return new Answer.Failed(answer.statusCode() + " " + answer.body());
            }
            var response = JSON.readTree(answer.body()).path("response");
            return response.path("allowed").asBoolean()
                    ? new Answer.Allowed()
                    : new Answer.Denied(response.at("/status/message").asText());
        } catch (IOException e) {
            return new Answer.Failed(e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.Failed(e.toString());
        }
    }

    /** What the replica reports about its policies. */
    String policies() throws IOException, InterruptedException {
        return http.send(request("/policies").build(), BodyHandlers.ofString()).body();
    }

    private HttpRequest.Builder request(String where) {
        return HttpRequest.newBuilder(replica.resolve(where)).timeout(LIMIT);
    }

    private static String review(boolean privileged) throws JsonProcessingException {
        return JSON.writeValueAsString(JSON.readTree("""
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                  "uid": "asked-directly", "operation": "CREATE", "namespace": "default", "name": "asked",
                  "kind": {"group": "", "version": "v1", "kind": "Pod"},
                  "resource": {"group": "", "version": "v1", "resource": "pods"},
                  "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
                  "requestResource": {"group": "", "version": "v1", "resource": "pods"},
                  "userInfo": {"username": "tester"},
                  "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, "spec": {"containers": [
                    {"name": "c", "image": "image", "securityContext": {"privileged": %s}}]}}}}
                """.formatted(privileged)));
    }

    @Override
    public void close() {
        http.close();
    }
}
