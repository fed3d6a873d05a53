package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.Download;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.RegistryResponse;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.ImageReference;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Client for the OCI distribution protocol. Returns only content whose digest was checked. Thread-safe. */
public final class RegistryClient {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_MANIFEST_BYTES = 4 << 20;
    private static final int MAX_ERROR_BYTES = 1 << 16;
    private static final Map<String, String> ACCEPT = Map.of("Accept", MediaTypes.ACCEPTED_MANIFESTS);

    private final Transport transport;
    private final Authorizer authorizer;

    public RegistryClient(Transport transport, Credentials credentials, Clock clock) {
        this.transport = transport;
        this.authorizer = new Authorizer(transport, credentials, clock);
    }

    /** Checks that the registry accepts the configured credentials. */
    public void login(String registry) {
        var image = ImageReference.parse(registry + "/x");
        var uri = URI.create("https://" + image.apiHost() + "/v2/");
        try (var response = authorizer.send(Request.get(uri, Map.of()), TokenScope.login(image))) {
            if (!response.isSuccess()) {
                throw failure(response, image);
            }
        }
    }

    /**
     * Copies the content of a reference byte for byte, so that its digest stays the same.
     *
     * @return the digest of the manifest
     */
    public String copy(ImageReference from, ImageReference to, long limit, DownloadProgress progress) {
        var manifest = manifest(from);
        if (manifest.isIndex()) {
            for (var entry : manifest.manifests()) {
                copy(from.withDigest(entry.digest()), to.withDigest(entry.digest()), limit, progress);
            }
        } else {
            Stream.concat(Stream.of(manifest.config()), manifest.layers().stream())
                    .forEach(part -> copyBlob(from, to, part, limit, progress));
        }
        pushManifest(to, manifest.bytes(), manifest.mediaType());
        return manifest.digest();
    }

    private void copyBlob(
            ImageReference from, ImageReference to, Descriptor part, long limit, DownloadProgress progress) {
        if (part.size() > limit) {
            throw new ArtifactException(Reason.TOO_LARGE, from + ": " + part.digest() + " is larger than " + limit);
        }
        pushBlob(to, new Blob(part.mediaType(), blob(from, part, (int) Math.min(limit, Integer.MAX_VALUE))), progress);
    }

    /** Returns the digest that the reference currently points to. */
    public String digest(ImageReference image) {
        var request = Request.head(manifestUri(image), ACCEPT);
        Optional<String> reportedDigest;
        try (var response = authorizer.send(request, TokenScope.pull(image))) {
            if (!response.isSuccess()) {
                throw failure(response, image);
            }
            reportedDigest = response.header("Docker-Content-Digest").filter(Digest::isDigest);
        }
        if (reportedDigest.isEmpty()) {
            return manifest(image).digest();
        }
        checkPinned(image, reportedDigest.get());
        return reportedDigest.get();
    }

    /** Returns the manifest. Its digest matches its bytes, and equals the digest in the reference if there is one. */
    public Manifest manifest(ImageReference image) {
        var request = Request.get(manifestUri(image), ACCEPT);
        try (var response = authorizer.send(request, TokenScope.pull(image))) {
            if (!response.isSuccess()) {
                throw failure(response, image);
            }
            var bytes = response.bytes(MAX_MANIFEST_BYTES);
            var digest = image.digest()
                    .filter(pinned -> Digest.matches(pinned, bytes))
                    .orElse(Digest.sha256(bytes));
            checkPinned(image, digest);
            return Manifest.parse(bytes, response.header("Content-Type").orElse(""), digest);
        }
    }

    private static void checkPinned(ImageReference image, String digest) {
        if (!image.digest().orElse(digest).equals(digest)) {
            throw new ArtifactException(
                    Reason.DIGEST_MISMATCH, image + ": the registry answered with digest " + digest);
        }
    }

    /** Downloads a small blob, such as a configuration or a signature. */
    public byte[] blob(ImageReference image, Descriptor descriptor, int limit) {
        try (var response =
                authorizer.send(Request.get(blobUri(image, descriptor.digest()), Map.of()), TokenScope.pull(image))) {
            if (!response.isSuccess()) {
                throw failure(response, image);
            }
            var bytes = response.bytes(limit);
            if (!Digest.matches(descriptor.digest(), bytes)) {
                throw new ArtifactException(
                        Reason.DIGEST_MISMATCH,
                        image + ": blob " + descriptor.digest() + " has digest " + Digest.sha256(bytes));
            }
            return bytes;
        }
    }

    /** Downloads a large blob into a file. The file exists only if it is complete and correct. */
    public void blob(ImageReference image, Descriptor descriptor, Path file, long limit, DownloadProgress progress) {
        var request = Request.get(blobUri(image, descriptor.digest()), Map.of());
        new Download(transport, request, limit, Optional.of(descriptor.digest()), progress).to(file, attempt -> {
            var response = authorizer.send(attempt, TokenScope.pull(image));
            if (response.isSuccess()) {
                return response;
            }
            try (response) {
                throw failure(response, image);
            }
        });
    }

    /**
     * Lists the manifests that refer to this manifest. Uses the referrers API, or the fallback tag on older
     * registries.
     */
    public List<Descriptor> referrers(ImageReference image, String digest) {
        var uri = uri(image, "/referrers/" + digest);
        try (var response =
                authorizer.send(Request.get(uri, Map.of("Accept", MediaTypes.OCI_INDEX)), TokenScope.pull(image))) {
            if (response.isSuccess()
                    && response.header("Content-Type").orElse("").startsWith(MediaTypes.OCI_INDEX)) {
                return Manifest.of(response.bytes(MAX_MANIFEST_BYTES), MediaTypes.OCI_INDEX)
                        .manifests();
            }
            if (response.status() != 404
                    && response.status() / 100 != 2
                    && response.status() != 400
                    && response.status() != 405) {
                throw failure(response, image);
            }
        }
        try {
            return manifest(image.withTag(digest.replace(':', '-'))).manifests();
        } catch (ArtifactException e) {
            if (e.reason() == Reason.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    /** Uploads a blob unless the registry already has it. */
    public void pushBlob(ImageReference image, Blob blob, DownloadProgress progress) {
        new BlobUpload(authorizer, image, blob, progress).run();
    }

    /** @return the digest of the manifest in the registry */
    public String pushManifest(ImageReference image, byte[] manifest, String mediaType) {
        var request = new Request(
                "PUT",
                manifestUri(image),
                Map.of("Content-Type", mediaType),
                () -> BodyPublishers.ofByteArray(manifest));
        try (var response = authorizer.send(request, TokenScope.push(image))) {
            if (!response.isSuccess()) {
                throw failure(response, image);
            }
            return Digest.sha256(manifest);
        }
    }

    private static URI manifestUri(ImageReference image) {
        return uri(image, "/manifests/" + image.identifier());
    }

    private static URI blobUri(ImageReference image, String digest) {
        return uri(image, "/blobs/" + digest);
    }

    static URI uri(ImageReference image, String rest) {
        return URI.create("https://" + image.apiHost() + "/v2/" + image.repository() + rest);
    }

    /** Builds an exception that includes the errors from the OCI error envelope. */
    static ArtifactException failure(RegistryResponse response, ImageReference image) {
        var reason = response.failure("").reason();
        var text = reason == Reason.UNAUTHORIZED
                ? "Not authorized: url " + withoutQuery(response.uri()) + otherHost(response, image)
                : "Registry error: url " + withoutQuery(response.uri()) + ", envelope: OCI API errors: ["
                        + errors(response) + "]";
        return new ArtifactException(reason, text + " (status " + response.status() + " for " + image + ")");
    }

    /** Removes the query, because the URL of a redirect may contain a signature in it. */
    private static URI withoutQuery(URI uri) {
        return URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath());
    }

    private static String otherHost(RegistryResponse response, ImageReference image) {
        var host = response.uri().getRawAuthority();
        return host.equalsIgnoreCase(image.apiHost())
                ? ""
                : ": " + host + " asks for credentials, which go to " + image.apiHost() + " only";
    }

    private static String errors(RegistryResponse response) {
        try {
            var errors = JSON.readTree(response.bytes(MAX_ERROR_BYTES)).path("errors");
            return StreamSupport.stream(errors.spliterator(), false)
                    .map(error -> error.path("code").asText() + " "
                            + error.path("message").asText())
                    .collect(Collectors.joining(", "));
        } catch (IOException | ArtifactException e) {
            return "";
        }
    }
}
