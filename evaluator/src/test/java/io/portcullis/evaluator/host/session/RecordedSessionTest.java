package io.portcullis.evaluator.host.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.HostResult;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecordedSessionTest {

    private static final HostRequest NAMESPACE =
            new HostRequest.KubernetesGetResource("v1", "Namespace", "default", null, false, null);

    @Test
    void readsSessionsOfKwctl() {
        var session = RecordedSession.parse("""
                - type: Exchange
                  request: |
                    !KubernetesGetResource
                    api_version: v1
                    kind: Namespace
                    name: default
                    namespace: null
                    disable_cache: false
                    field_masks: null
                    some_later_key: 1
                  response:
                    type: Success
                    payload: '{"metadata":{"name":"default"}}'
                - type: Exchange
                  request: |
                    !DNSLookupHost
                    host: example.com
                  response: {type: Error, message: 'Cannot find v1/Namespace'}
                """);

        assertThat(session.exchanges()).hasSize(2);
        assertThat(session.exchanges().getFirst().request()).isEqualTo(NAMESPACE);
        assertThat(session.exchanges().getLast())
                .isEqualTo(new Exchange(
                        new HostRequest.DNSLookupHost("example.com"),
                        new HostResult.Failure("Cannot find v1/Namespace")));
    }

    static Stream<HostRequest> requests() {
        return Stream.of(
                NAMESPACE,
                new HostRequest.OciManifest("a"),
                new HostRequest.OciManifestDigest("a"),
                new HostRequest.OciManifestAndConfig("a"),
                new HostRequest.SigstorePubKeyVerify("a", List.of("-----BEGIN\nx\n"), Map.of("k", "v")),
                new HostRequest.SigstoreKeylessVerify("a", List.of(new HostRequest.Keyless("i", "s")), null),
                new HostRequest.SigstoreKeylessPrefixVerify(
                        "a", List.of(new HostRequest.KeylessPrefix("i", "u")), null),
                new HostRequest.SigstoreGithubActionsVerify("a", "o", "r", null),
                new HostRequest.SigstoreCertificateVerify("a", List.of(1, 2), List.of(List.of(3)), true, null),
                new HostRequest.KubernetesListResourceAll("apps/v1", "Deployment", "a=b", null, List.of("spec.x")),
                new HostRequest.KubernetesListResourceNamespace("v1", "Pod", "ns", null, "x=y", null),
                new HostRequest.KubernetesGetResourcePluralName("v1", "Pod"),
                new HostRequest.KubernetesCanI(
                        new HostRequest.AccessReview(
                                "u",
                                List.of("g"),
                                new HostRequest.ResourceAttributes("g", "n", "ns", "pods", "log", "get", "v1")),
                        true),
                new HostRequest.CryptoIsCertificateTrusted(new HostRequest.TrustQuestion(
                        new HostRequest.Certificate(HostRequest.Encoding.Der, List.of(48)), List.of(), "")));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void everyRequestRoundTripsThroughTheFile(HostRequest request) {
        var exchange = new Exchange(request, new HostResult.Failure("two\nlines: yes"));

        assertThat(RecordedSession.parse(new RecordedSession(List.of(exchange)).toYaml())
                        .exchanges())
                .containsExactly(exchange);
    }

    @Test
    void recordsAndReplays() {
        var recording = new RecordingBackend((request, _) -> {
            if (request.equals(NAMESPACE)) {
                return "{\"a\": \"ü\"}".getBytes(StandardCharsets.UTF_8);
            }
            throw new HostCallException("not found");
        });
        recording.answer(NAMESPACE, Deadline.NONE);
        assertThatThrownBy(() -> recording.answer(new HostRequest.DNSLookupHost("x"), Deadline.NONE))
                .hasMessage("not found");

        var replay =
                new ReplayingBackend(RecordedSession.parse(recording.session().toYaml()));

        assertThat(replay.answer(NAMESPACE, Deadline.NONE))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"a\": \"ü\"}");
        assertThat(replay.leftovers()).hasSize(1);
        assertThatThrownBy(() -> replay.answer(NAMESPACE, Deadline.NONE))
                .hasMessageStartingWith("Replay error: unexpected request");
        assertThatThrownBy(() -> replay.answer(new HostRequest.DNSLookupHost("x"), Deadline.NONE))
                .hasMessage("not found");
        assertThatThrownBy(() -> replay.answer(NAMESPACE, Deadline.NONE))
                .hasMessageContaining("the list of recorded responses is empty");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "a: b | the session is not a list of exchanges",
                "[1] | exchange 1: expected type Exchange",
                "- type: Exchange | exchange 1: the key request is missing",
                "- {type: Exchange, request: [1]} | exchange 1: the key request is not a text",
                "- {type: Exchange, request: '!Nope {}', response: {type: Success, payload: x}} | exchange 1: unknown request Nope",
                "- {type: Exchange, request: '{{{', response: {}} | exchange 1: the request is not YAML: expected the node content, but found '<stream end>' at line 1 column 4",
                "- {type: Exchange, request: \"!DNSLookupHost\\nhost: &a [*a]\", response: {}} | exchange 1: the request is not YAML: it is too large, nested too deeply or refers to parts of itself",
                "- {type: Exchange, request: \"!DNSLookupHost\\nhost: [1]\", response: {}} | exchange 1: invalid value for `host`",
                "- {type: Exchange, request: \"!DNSLookupHost\\nnothost: a\", response: {}} | exchange 1: missing field `host`",
                "- {type: Exchange, request: \"!DNSLookupHost\\nhost: a\", response: {type: Other}} | exchange 1: unknown type of response Other",
                "- {type: Exchange, request: \"!DNSLookupHost\\nhost: a\"} | exchange 1: the response is missing",
                "- !x%20 1 | the session is not YAML: Tag must not contain leading or trailing spaces.",
                "{{{ | the session is not YAML: expected the node content, but found '<stream end>' at line 1 column 4",
            })
    void reportsWhyAFileIsNotASession(String yaml, String problem) {
        assertThatThrownBy(() -> RecordedSession.parse(yaml))
                .isInstanceOf(InvalidSessionException.class)
                .hasMessage(problem);
    }

    @Test
    void treatsAnEmptyFileAsAnEmptySession() {
        assertThat(RecordedSession.parse("").exchanges()).isEmpty();
    }
}
