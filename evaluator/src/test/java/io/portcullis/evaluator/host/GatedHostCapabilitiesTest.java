package io.portcullis.evaluator.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.host.HostCapabilities.HostCall;
import io.portcullis.evaluator.host.HostRequest.Encoding;
import io.portcullis.evaluator.host.HostRequest.Keyless;
import io.portcullis.evaluator.host.HostRequest.KeylessPrefix;
import io.portcullis.wasm.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GatedHostCapabilitiesTest {

    private final List<HostRequest> requests = new ArrayList<>();
    private final List<String> logged = new ArrayList<>();
    private final HostBackend backend = (request, _) -> {
        requests.add(request);
        return bytes("\"answer\"");
    };
    private final PolicyLog log =
            (id, level, message, data) -> logged.add(id + " " + level + " " + message + " " + data);

    private byte[] call(String binding, String namespace, String operation, String payload, String... grants) {
        var caller =
                new Caller("p", List.of(grants), Set.of(new ContextAwareResource("v1", "Namespace")), Deadline.NONE);
        return new GatedHostCapabilities(backend, log, HostCallObserver.none())
                .call(new HostCall(caller, binding, namespace, operation, bytes(payload)));
    }

    /** Section 4.1: the first failing check decides the error, whatever else is wrong with the call. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other      | x          | y                  | z  |       | unknown binding: other",
                "kubewarden | x          | y                  | z  | oci/* | Policy has not been granted access to the 'x/y' host capability. The violation has been reported.",
                "kubewarden | x          | y                  | z  | *     | unknown namespace: x",
                "kubewarden | oci        | v3/verify          | z  | *     | unknown operation: v3/verify",
                "kubewarden | tracing    | shout              | z  |       | unknown operation: shout",
                "kubewarden | kubernetes | list_resources_all | {} | *     | missing field `api_version`",
                "kubewarden | kubernetes | list_resources_all | [] | *     | invalid type",
                "kubewarden | kubernetes | list_resources_all | {  | *     | invalid JSON at line 1 column 2",
                "kubewarden | kubernetes | list_resources_all |    | *     | invalid type",
                "kubewarden | kubernetes | get_resource       | {\"api_version\":\"v1\",\"kind\":5,\"name\":\"n\",\"disable_cache\":true} | * | invalid value for `kind`",
                "kubewarden | kubernetes | get_resource       | {\"api_version\":\"v1\",\"kind\":\"Pod\",\"name\":\"n\"} | * | missing field `disable_cache`",
                "kubewarden | kubernetes | can_i              | {\"disable_cache\":true} | * | missing field `subject_access_review`",
                "kubewarden | crypto     | v1/is_certificate_trusted | {\"cert\":{\"encoding\":\"Text\",\"data\":[]},\"not_after\":null} | * | invalid value for `cert.encoding`",
                "kubewarden | net        | v1/dns_lookup_host | 5  | *     | invalid type",
            })
    void rejectsInTheOrderOfTheContract(
            String binding, String namespace, String operation, String payload, String grants, String message) {
        assertThatThrownBy(() -> call(
                        binding, namespace, operation, payload == null ? "" : payload, grants == null ? "" : grants))
                .isInstanceOf(HostCallException.class)
                .hasMessage(message);
        assertThat(requests).isEmpty();
    }

    @Test
    void rejectsKubernetesKindsThatWereNotGranted() {
        var payload = "{\"api_version\":\"v1\",\"kind\":\"Secret\"}";

        assertThatThrownBy(() -> call("kubewarden", "kubernetes", "list_resources_all", payload, "*"))
                .hasMessage(
                        "Policy has not been granted access to Kubernetes v1/Secret resources. The violation has been reported.");
    }

    private byte[] callInTeamA(String operation, String payload, String answer) {
        var caller = new Caller(
                "p",
                List.of("*"),
                Set.of(new ContextAwareResource("v1", "ConfigMap")),
                Optional.of("team-a"),
                Deadline.NONE);
        HostBackend answering = (request, _) -> {
            requests.add(request);
            return bytes(answer);
        };
        return new GatedHostCapabilities(answering, log, HostCallObserver.none())
                .call(new HostCall(caller, "kubewarden", "kubernetes", operation, bytes(payload)));
    }

    @Test
    void listsOnlyTheNamespaceOfALimitedCaller() {
        callInTeamA(
                "list_resources_all",
                "{\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"label_selector\":\"a=b\",\"field_selector\":\"c=d\","
                        + "\"field_masks\":[\"metadata\"]}",
                "{}");
        callInTeamA(
                "list_resources_by_namespace",
                "{\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"team-a\"}",
                "{}");

        assertThat(requests)
                .containsExactly(
                        new HostRequest.KubernetesListResourceNamespace(
                                "v1", "ConfigMap", "team-a", "a=b", "c=d", List.of("metadata")),
                        new HostRequest.KubernetesListResourceNamespace("v1", "ConfigMap", "team-a", null, null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "list_resources_by_namespace | {\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"team-b\"}",
                "list_resources_by_namespace | {\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"\"}",
                "get_resource | {\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"n\",\"namespace\":\"team-b\",\"disable_cache\":false}",
                "get_resource | {\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"n\",\"disable_cache\":false}",
            })
    void refusesALimitedCallerOtherNamespacesBeforeTheBackendReads(String operation, String payload) {
        assertThatThrownBy(() -> callInTeamA(operation, payload, "{}"))
                .isInstanceOf(HostCallException.class)
                .hasMessage("Policy has not been granted access to Kubernetes resources outside of namespace 'team-a'."
                        + " The violation has been reported.");
        assertThat(requests).isEmpty();
    }

    private byte[] getInTeamA(String masks, String answer) {
        return callInTeamA(
                "get_resource",
                "{\"api_version\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"n\",\"namespace\":\"team-a\",\"disable_cache\":true"
                        + masks + "}",
                answer);
    }

    /** An API server ignores the namespace of a request for a cluster-wide object. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"metadata\":{\"name\":\"n\"}}",
                "{\"metadata\":{\"namespace\":\"team-b\"}}",
                "{}",
                "{\"metadata\":[]}"
            })
    void keepsObjectsOutsideOfTheNamespaceFromALimitedCaller(String object) {
        assertThatThrownBy(() -> getInTeamA("", object)).hasMessageContaining("outside of namespace 'team-a'");
    }

    @Test
    void returnsObjectsOfTheNamespaceToALimitedCaller() {
        var object = "{\"metadata\":{\"namespace\":\"team-a\",\"name\":\"n\"},\"data\":{\"a\":\"b\"}}";

        assertThat(getInTeamA(",\"field_masks\":[\"data\"]", object)).isEqualTo(bytes(object));
        assertThat(requests)
                .containsExactly(
                        new HostRequest.KubernetesGetResource("v1", "ConfigMap", "n", "team-a", true, List.of("data")));
    }

    @Test
    void reportsAMissingBackend() {
        var caller = new Caller("p", List.of("*"), Set.of(), Deadline.NONE);
        var call = new HostCall(caller, "kubewarden", "net", "v1/dns_lookup_host", bytes("\"a\""));

        assertThatThrownBy(() -> GatedHostCapabilities.withoutBackend(log).call(call))
                .hasMessage("Cannot process Wasm guest request: callback channel not provided");
    }

    @Test
    void prefixesErrorsOfTheBackend() {
        HostBackend failing = (_, _) -> {
            throw new HostCallException("registry is down");
        };
        var caller = new Caller("p", List.of("*"), Set.of(), Deadline.NONE);
        var call = new HostCall(caller, "kubewarden", "oci", "v1/manifest_digest", bytes("\"img\""));

        assertThatThrownBy(() -> new GatedHostCapabilities(failing, log, HostCallObserver.none()).call(call))
                .hasMessage("Callback evaluation failure: registry is down");
    }

    @Test
    void loggingNeedsNoGrant() {
        var answer = call("kubewarden", "tracing", "log", "{\"level\":\"WARNING\",\"message\":\"m\",\"n\":1}");

        assertThat(answer).isEmpty();
        assertThat(logged).containsExactly("p WARN m {\"n\":1}");
    }

    @Test
    void invalidLogLineDoesNotFailTheCall() {
        assertThat(call("kubewarden", "tracing", "log", "{\"level\":\"warn\"}")).isEmpty();
        assertThat(call("kubewarden", "tracing", "log", "nonsense")).isEmpty();
        assertThat(logged).isEmpty();
    }

    record Case(String path, String payload, HostRequest expected) {}

    static Stream<Case> payloads() {
        return Stream.of(
                new Case("oci/v1/manifest_digest", "\"a/b:1\"", new HostRequest.OciManifestDigest("a/b:1")),
                new Case("oci/v1/oci_manifest", "\"a\"", new HostRequest.OciManifest("a")),
                new Case("oci/v1/oci_manifest_config", "\"a\"", new HostRequest.OciManifestAndConfig("a")),
                new Case("net/v1/dns_lookup_host", "\"h\"", new HostRequest.DNSLookupHost("h")),
                new Case(
                        "oci/v1/verify",
                        "{\"SigstorePubKeyVerify\":{\"image\":\"a\",\"pub_keys\":[\"k\"],\"annotations\":{\"x\":\"y\"}}}",
                        new HostRequest.SigstorePubKeyVerify("a", List.of("k"), Map.of("x", "y"))),
                new Case(
                        "oci/v1/verify",
                        "{\"SigstoreKeylessVerify\":{\"image\":\"a\",\"keyless\":[{\"issuer\":\"i\",\"subject\":\"s\"}]}}",
                        new HostRequest.SigstoreKeylessVerify("a", List.of(new Keyless("i", "s")), null)),
                new Case(
                        "oci/v2/verify",
                        "{\"type\":\"SigstoreKeylessPrefixVerify\",\"image\":\"a\",\"keyless_prefix\":[{\"issuer\":\"i\",\"url_prefix\":\"u\"}]}",
                        new HostRequest.SigstoreKeylessPrefixVerify("a", List.of(new KeylessPrefix("i", "u")), null)),
                new Case(
                        "oci/v2/verify",
                        "{\"type\":\"SigstoreGithubActionsVerify\",\"image\":\"a\",\"owner\":\"o\",\"repo\":null,\"annotations\":null}",
                        new HostRequest.SigstoreGithubActionsVerify("a", "o", null, null)),
                new Case(
                        "oci/v2/verify",
                        "{\"type\":\"SigstoreCertificateVerify\",\"image\":\"a\",\"certificate\":[1,255],\"certificate_chain\":[[2]],\"require_rekor_bundle\":true}",
                        new HostRequest.SigstoreCertificateVerify(
                                "a", List.of(1, 255), List.of(List.of(2)), true, null)),
                new Case(
                        "kubernetes/get_resource",
                        "{\"api_version\":\"v1\",\"kind\":\"Namespace\",\"name\":\"n\",\"disable_cache\":false}",
                        new HostRequest.KubernetesGetResource("v1", "Namespace", "n", null, false, null)),
                new Case(
                        "kubernetes/list_resources_by_namespace",
                        "{\"api_version\":\"v1\",\"kind\":\"Namespace\",\"namespace\":\"d\",\"label_selector\":\"a=b\",\"field_masks\":[\"x\"]}",
                        new HostRequest.KubernetesListResourceNamespace(
                                "v1", "Namespace", "d", "a=b", null, List.of("x"))),
                new Case(
                        "kubernetes/can_i",
                        "{\"subject_access_review\":{\"user\":\"u\",\"groups\":[\"g\"],\"resource_attributes\":{\"verb\":\"get\",\"resource\":\"pods\"}},\"disable_cache\":true}",
                        new HostRequest.KubernetesCanI(
                                new HostRequest.AccessReview(
                                        "u",
                                        List.of("g"),
                                        new HostRequest.ResourceAttributes(
                                                null, null, null, "pods", null, "get", null)),
                                true)),
                new Case(
                        "crypto/v1/is_certificate_trusted",
                        "{\"cert\":{\"encoding\":\"Pem\",\"data\":[45]},\"cert_chain\":null,\"not_after\":null}",
                        new HostRequest.CryptoIsCertificateTrusted(new HostRequest.TrustQuestion(
                                new HostRequest.Certificate(Encoding.Pem, List.of(45)), null, null))));
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void parsesEveryPayload(Case each) {
        var path = each.path.split("/", 2);

        var answer = call("kubewarden", path[0], path[1], each.payload, "*");

        assertThat(new String(answer, StandardCharsets.UTF_8)).isEqualTo("\"answer\"");
        assertThat(requests).containsExactly(each.expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "oci/v1/verify           | {}",
                "oci/v1/verify           | {\"SigstoreGithubActionsVerify\":{\"image\":\"a\",\"owner\":\"o\"}}",
                "oci/v2/verify           | {\"type\":\"Other\",\"image\":\"a\"}",
                "oci/v2/verify           | {\"image\":\"a\"}",
                "oci/v2/verify           | {\"type\":\"SigstoreGithubActionsVerify\",\"image\":\"a\",\"owner\":\"o\",\"annotations\":[{\"key\":\"a\",\"value\":\"b\"}]}",
                "kubernetes/get_resource | {\"api_version\":\"v1\",\"kind\":\"Namespace\",\"name\":\"n\"}",
                "kubernetes/can_i        | {\"disable_cache\":true}",
                "oci/v1/oci_manifest     | null",
                "oci/v1/oci_manifest     | 5",
                "net/v1/dns_lookup_host  | {",
            })
    void rejectsPayloadsOfTheWrongShape(String path, String payload) {
        var parts = path.split("/", 2);

        assertThatThrownBy(() -> call("kubewarden", parts[0], parts[1], payload, "*"))
                .isInstanceOf(HostCallException.class);
        assertThat(requests).isEmpty();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
