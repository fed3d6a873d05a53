package io.portcullis.evaluator.host;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.CryptoIsCertificateTrusted;
import io.portcullis.evaluator.host.HostRequest.DNSLookupHost;
import io.portcullis.evaluator.host.HostRequest.KubernetesCanI;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceAll;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceNamespace;
import io.portcullis.evaluator.host.HostRequest.OciManifest;
import io.portcullis.evaluator.host.HostRequest.OciManifestAndConfig;
import io.portcullis.evaluator.host.HostRequest.OciManifestDigest;
import io.portcullis.evaluator.host.HostRequest.SigstoreCertificateVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreGithubActionsVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreKeylessPrefixVerify;
import io.portcullis.evaluator.host.HostRequest.SigstoreKeylessVerify;
import io.portcullis.evaluator.host.HostRequest.SigstorePubKeyVerify;
import io.portcullis.evaluator.host.HostRequest.TrustQuestion;
import java.util.Map;

/** Parses the payload of a host call. Defines the operations and the JSON that each operation expects. */
final class GuestPayloads {

    private static final Map<String, Map<String, Reader>> OPERATIONS = Map.of(
            "oci",
                    Map.of(
                            "v1/verify", GuestPayloads::verifyV1,
                            "v2/verify", GuestPayloads::verifyV2,
                            "v1/manifest_digest",
                                    payload -> new OciManifestDigest(HostJson.read(payload, String.class)),
                            "v1/oci_manifest", payload -> new OciManifest(HostJson.read(payload, String.class)),
                            "v1/oci_manifest_config",
                                    payload -> new OciManifestAndConfig(HostJson.read(payload, String.class))),
            "net", Map.of("v1/dns_lookup_host", payload -> new DNSLookupHost(HostJson.read(payload, String.class))),
            "crypto",
                    Map.of(
                            "v1/is_certificate_trusted",
                            payload -> new CryptoIsCertificateTrusted(HostJson.read(payload, TrustQuestion.class))),
            "kubernetes",
                    Map.of(
                            "list_resources_by_namespace",
                                    payload -> HostJson.read(payload, KubernetesListResourceNamespace.class),
                            "list_resources_all", payload -> HostJson.read(payload, KubernetesListResourceAll.class),
                            "get_resource", payload -> HostJson.read(payload, KubernetesGetResource.class),
                            "can_i", GuestPayloads::canI));

    private static final Map<String, Class<? extends HostRequest>> VERIFY_V1 = Map.of(
            "SigstorePubKeyVerify", SigstorePubKeyVerify.class,
            "SigstoreKeylessVerify", SigstoreKeylessVerify.class);

    private static final Map<String, Class<? extends HostRequest>> VERIFY_V2 = Map.of(
            "SigstorePubKeyVerify", SigstorePubKeyVerify.class,
            "SigstoreKeylessVerify", SigstoreKeylessVerify.class,
            "SigstoreKeylessPrefixVerify", SigstoreKeylessPrefixVerify.class,
            "SigstoreGithubActionsVerify", SigstoreGithubActionsVerify.class,
            "SigstoreCertificateVerify", SigstoreCertificateVerify.class);

    private GuestPayloads() {}

    /** @throws HostCallException if namespace or operation is unknown or the payload does not match */
    static HostRequest read(String namespace, String operation, byte[] payload) {
        var operations = OPERATIONS.get(namespace);
        if (operations == null) {
            throw new HostCallException("unknown namespace: " + namespace);
        }
        var reader = operations.get(operation);
        if (reader == null) {
            throw new HostCallException("unknown operation: " + operation);
        }
        return reader.read(payload);
    }

    /** Externally tagged: the only key names the variant. */
    private static HostRequest verifyV1(byte[] payload) {
        var tree = HostJson.read(payload, JsonNode.class);
        if (!tree.isObject() || tree.size() != 1) {
            throw new HostCallException("expected an object with one key that names the kind of verification");
        }
        var variant = tree.properties().iterator().next();
        return HostJson.convert(variant.getValue(), variantOf(VERIFY_V1, variant.getKey()));
    }

    /** Internally tagged: the key {@code type} names the variant. */
    private static HostRequest verifyV2(byte[] payload) {
        var tree = HostJson.read(payload, JsonNode.class);
        var type = tree.path("type");
        if (!type.isTextual()) {
            throw new HostCallException("missing field `type`");
        }
        return HostJson.convert(tree, variantOf(VERIFY_V2, type.asText()));
    }

    private static Class<? extends HostRequest> variantOf(
            Map<String, Class<? extends HostRequest>> variants, String name) {
        var variant = variants.get(name);
        if (variant == null) {
            throw new HostCallException("unknown variant `" + name + "`, expected one of "
                    + String.join(", ", variants.keySet().stream().sorted().toList()));
        }
        return variant;
    }

    private static HostRequest canI(byte[] payload) {
        var question = HostJson.read(payload, CanI.class);
        return new KubernetesCanI(question.subjectAccessReview, question.disableCache);
    }

    private record CanI(
            @JsonProperty(required = true) AccessReview subjectAccessReview,
            @JsonProperty(required = true) boolean disableCache) {}

    @FunctionalInterface
    private interface Reader {
        HostRequest read(byte[] payload);
    }
}
