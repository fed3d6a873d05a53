package io.portcullis.evaluator.host;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of a policy to the outside world, or of the host on behalf of a Rego policy. Two equal requests may get the
 * same bytes as answer. The component names are the wire names in camel case. In a recorded session, the simple class
 * name is the tag of the request.
 */
public sealed interface HostRequest {

    /** A request to a registry about an image. */
    sealed interface Oci extends HostRequest {
        String image();
    }

    record OciManifestDigest(@JsonProperty(required = true) String image) implements Oci {}

    record OciManifest(@JsonProperty(required = true) String image) implements Oci {}

    record OciManifestAndConfig(
            @JsonProperty(required = true) String image) implements Oci {}

    /** Checks whether an image carries the required signatures; all of them must be found. */
    sealed interface Verify extends HostRequest {
        String image();

        @Nullable
        Map<String, String> annotations();
    }

    record SigstorePubKeyVerify(
            @JsonProperty(required = true) String image,
            @JsonProperty(required = true) List<String> pubKeys,
            @Nullable Map<String, String> annotations)
            implements Verify {}

    record SigstoreKeylessVerify(
            @JsonProperty(required = true) String image,
            @JsonProperty(required = true) List<Keyless> keyless,
            @Nullable Map<String, String> annotations)
            implements Verify {}

    record SigstoreKeylessPrefixVerify(
            @JsonProperty(required = true) String image,
            @JsonProperty(required = true) List<KeylessPrefix> keylessPrefix,
            @Nullable Map<String, String> annotations)
            implements Verify {}

    record SigstoreGithubActionsVerify(
            @JsonProperty(required = true) String image,
            @JsonProperty(required = true) String owner,
            @Nullable String repo,
            @Nullable Map<String, String> annotations)
            implements Verify {}

    /** Certificates are PEM text as lists of byte values, as guests send them. */
    record SigstoreCertificateVerify(
            @JsonProperty(required = true) String image,
            @JsonProperty(required = true) List<Integer> certificate,
            @Nullable List<List<Integer>> certificateChain,
            @JsonProperty(required = true) boolean requireRekorBundle,
            @Nullable Map<String, String> annotations)
            implements Verify {}

    record Keyless(
            @JsonProperty(required = true) String issuer,
            @JsonProperty(required = true) String subject) {}

    record KeylessPrefix(
            @JsonProperty(required = true) String issuer,
            @JsonProperty(required = true) String urlPrefix) {}

    record DNSLookupHost(@JsonProperty(required = true) String host) implements HostRequest {}

    /** A request to the Kubernetes API about objects of one kind. */
    sealed interface Kubernetes extends HostRequest {
        String apiVersion();

        String kind();
    }

    record KubernetesListResourceNamespace(
            @JsonProperty(required = true) String apiVersion,
            @JsonProperty(required = true) String kind,
            @JsonProperty(required = true) String namespace,
            @Nullable String labelSelector,
            @Nullable String fieldSelector,
            @Nullable List<String> fieldMasks)
            implements Kubernetes {}

    record KubernetesListResourceAll(
            @JsonProperty(required = true) String apiVersion,
            @JsonProperty(required = true) String kind,
            @Nullable String labelSelector,
            @Nullable String fieldSelector,
            @Nullable List<String> fieldMasks)
            implements Kubernetes {

        /** Requests all objects of one kind, as Rego policies receive them. */
        public static KubernetesListResourceAll everything(String apiVersion, String kind) {
            return new KubernetesListResourceAll(apiVersion, kind, null, null, null);
        }
    }

    record KubernetesGetResource(
            @JsonProperty(required = true) String apiVersion,
            @JsonProperty(required = true) String kind,
            @JsonProperty(required = true) String name,
            @Nullable String namespace,
            @JsonProperty(required = true) boolean disableCache,
            @Nullable List<String> fieldMasks)
            implements Kubernetes {}

    record KubernetesGetResourcePluralName(
            @JsonProperty(required = true) String apiVersion,
            @JsonProperty(required = true) String kind) implements Kubernetes {}

    record KubernetesCanI(
            @JsonProperty(required = true) AccessReview request,
            @JsonProperty(required = true) boolean disableCache) implements HostRequest {}

    record AccessReview(
            @JsonProperty(required = true) String user,
            @Nullable List<String> groups,
            @JsonProperty(required = true) ResourceAttributes resourceAttributes) {}

    record ResourceAttributes(
            @Nullable String group,
            @Nullable String name,
            @Nullable String namespace,
            @JsonProperty(required = true) String resource,
            @Nullable String subresource,
            @JsonProperty(required = true) String verb,
            @Nullable String version) {}

    record CryptoIsCertificateTrusted(
            @JsonProperty(required = true) TrustQuestion request) implements HostRequest {}

    /** {@code notAfter} is the time of verification, despite its name. */
    record TrustQuestion(
            @JsonProperty(required = true) Certificate cert,
            @Nullable List<Certificate> certChain,
            @JsonProperty(required = true) @Nullable String notAfter) {}

    record Certificate(
            @JsonProperty(required = true) Encoding encoding,
            @JsonProperty(required = true) List<Integer> data) {

        public byte[] bytes() {
            var bytes = new byte[data.size()];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = data.get(i).byteValue();
            }
            return bytes;
        }
    }

    enum Encoding {
        Pem,
        Der
    }
}
