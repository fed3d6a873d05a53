package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.CryptoIsCertificateTrusted;
import io.portcullis.evaluator.host.HostRequest.DNSLookupHost;
import io.portcullis.evaluator.host.HostRequest.KubernetesCanI;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResourcePluralName;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceAll;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceNamespace;
import io.portcullis.evaluator.host.HostRequest.OciManifest;
import io.portcullis.evaluator.host.HostRequest.OciManifestAndConfig;
import io.portcullis.evaluator.host.HostRequest.OciManifestDigest;
import io.portcullis.evaluator.host.HostRequest.Verify;
import io.portcullis.evaluator.host.KubernetesReader.ListQuery;
import io.portcullis.wasm.Deadline;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers every request from the real source: cluster, registry, DNS or certificate check. */
public record LiveBackend(
        KubernetesReader kubernetes,
        ImageRegistry registry,
        SignatureVerifier signatures,
        Dns dns,
        CertificateTrust certificates)
        implements HostBackend {

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        return switch (request) {
            case OciManifestDigest(var image) ->
                HostJson.write(Map.of("digest", registry.manifestDigest(image, deadline)));
            case OciManifest(var image) -> HostJson.write(registry.manifest(image, deadline));
            case OciManifestAndConfig(var image) -> HostJson.write(registry.manifestAndConfig(image, deadline));
            case Verify verify -> HostJson.write(new Verified(true, signatures.verify(verify, deadline)));
            case DNSLookupHost(var host) -> HostJson.write(Map.of("ips", dns.lookup(host)));
            case KubernetesListResourceNamespace list ->
                kubernetes.list(
                        query(
                                list,
                                Optional.of(list.namespace()),
                                list.labelSelector(),
                                list.fieldSelector(),
                                list.fieldMasks()),
                        deadline);
            case KubernetesListResourceAll list ->
                kubernetes.list(
                        query(list, Optional.empty(), list.labelSelector(), list.fieldSelector(), list.fieldMasks()),
                        deadline);
            case KubernetesGetResource get -> kubernetes.get(get, deadline);
            case KubernetesGetResourcePluralName(var apiVersion, var kind) ->
                HostJson.write(kubernetes.pluralName(apiVersion, kind, deadline));
            case KubernetesCanI question -> kubernetes.canI(question.request(), deadline);
            case CryptoIsCertificateTrusted(var question) -> HostJson.write(certificates.check(question, deadline));
        };
    }

    private static ListQuery query(
            HostRequest.Kubernetes list,
            Optional<String> namespace,
            @Nullable String labelSelector,
            @Nullable String fieldSelector,
            @Nullable List<String> fieldMasks) {
        return new ListQuery(
                list.apiVersion(),
                list.kind(),
                namespace,
                Optional.ofNullable(labelSelector),
                Optional.ofNullable(fieldSelector),
                fieldMasks == null ? List.of() : fieldMasks);
    }

    private record Verified(boolean isTrusted, String digest) {}
}
