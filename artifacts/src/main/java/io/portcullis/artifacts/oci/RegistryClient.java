package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.http.Download;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.RegistryResponse;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
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

/** The endpoints of the OCI distribution protocol that we need. Nothing unchecked comes out of it. Thread-safe. */
public final class RegistryClient {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LONGEST_MANIFEST = 4 << 20;
    private static final int LONGEST_ERROR = 1 << 16;
    private static final Map<String, String> ACCEPT = Map.of("Accept", MediaTypes.ACCEPTED_MANIFESTS);

    private final Transport transport;
    private final Authorizer authorizer;

    public RegistryClient(Transport transport, Credentials credentials, Clock clock) {
        this.transport = transport;
        this.authorizer = new Authorizer(transport, credentials, clock);
    }

    /** Asks the registry whether it knows who we are. */
    public void login(String registry) {
        var image = ImageReference.parse(registry + "/x");
        var uri = URI.create("https://" + image.apiHost() + "/v2/");
        try (var answer = authorizer.send(Request.get(uri, Map.of()), TokenScope.login(image))) {
            if (!answer.isSuccess()) {
                throw failure(answer, image);
            }
        }
    }

    /**
     * Copies what a reference stands for, byte for byte, so that its digest stays the same.
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

    /** The digest that the reference stands for now. */
    public String digest(ImageReference image) {
        var request = Request.head(manifestUri(image), ACCEPT);
        Optional<String> told;
        try (var answer = authorizer.send(request, TokenScope.pull(image))) {
            if (!answer.isSuccess()) {
                throw failure(answer, image);
            }
            told = answer.header("Docker-Content-Digest").filter(Digest::isDigest);
        }
        if (told.isEmpty()) {
            return manifest(image).digest();
        }
        checkPinned(image, told.get());
        return told.get();
    }

    /** The manifest; its bytes have the digest it carries, which is the one asked for if one was. */
    public Manifest manifest(ImageReference image) {
        var request = Request.get(manifestUri(image), ACCEPT);
        try (var answer = authorizer.send(request, TokenScope.pull(image))) {
            if (!answer.isSuccess()) {
                throw failure(answer, image);
            }
            var bytes = answer.bytes(LONGEST_MANIFEST);
            var digest = image.digest()
                    .filter(pinned -> Digest.matches(pinned, bytes))
                    .orElse(Digest.sha256(bytes));
            checkPinned(image, digest);
            return Manifest.parse(bytes, answer.header("Content-Type").orElse(""), digest);
        }
    }

    private static void checkPinned(ImageReference image, String digest) {
        if (!image.digest().orElse(digest).equals(digest)) {
            throw new ArtifactException(
                    Reason.DIGEST_MISMATCH, image + ": the registry answered with digest " + digest);
        }
    }

    /** A small blob, such as a configuration or a signature. */
    public byte[] blob(ImageReference image, Descriptor descriptor, int limit) {
        try (var answer =
                authorizer.send(Request.get(blobUri(image, descriptor.digest()), Map.of()), TokenScope.pull(image))) {
            if (!answer.isSuccess()) {
                throw failure(answer, image);
            }
            var bytes = answer.bytes(limit);
            if (!Digest.matches(descriptor.digest(), bytes)) {
                throw new ArtifactException(
                        Reason.DIGEST_MISMATCH,
                        image + ": blob " + descriptor.digest() + " has digest " + Digest.sha256(bytes));
            }
            return bytes;
        }
    }

    /** A large blob, into a file that is complete and correct or not there. */
    public void blob(ImageReference image, Descriptor descriptor, Path file, long limit, DownloadProgress progress) {
        var request = Request.get(blobUri(image, descriptor.digest()), Map.of());
        new Download(transport, request, limit, Optional.of(descriptor.digest()), progress).to(file, attempt -> {
            var answer = authorizer.send(attempt, TokenScope.pull(image));
            if (answer.isSuccess()) {
                return answer;
            }
            try (answer) {
                throw failure(answer, image);
            }
        });
    }

    /**
     * What refers to this manifest, by the referrers API, or by the tag that stands in for it on older registries.
     */
    public List<Descriptor> referrers(ImageReference image, String digest) {
        var uri = uri(image, "/referrers/" + digest);
        try (var answer =
                authorizer.send(Request.get(uri, Map.of("Accept", MediaTypes.OCI_INDEX)), TokenScope.pull(image))) {
            if (answer.isSuccess() && answer.header("Content-Type").orElse("").startsWith(MediaTypes.OCI_INDEX)) {
                return Manifest.of(answer.bytes(LONGEST_MANIFEST), MediaTypes.OCI_INDEX)
                        .manifests();
            }
            if (answer.status() != 404
                    && answer.status() / 100 != 2
                    && answer.status() != 400
                    && answer.status() != 405) {
                throw failure(answer, image);
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

    /** Uploads content unless the registry has it. */
    public void pushBlob(ImageReference image, Blob blob, DownloadProgress progress) {
        new BlobUpload(authorizer, image, blob, progress).run();
    }

    /** @return the digest under which the registry knows it */
    public String pushManifest(ImageReference image, byte[] manifest, String mediaType) {
        var request = new Request(
                "PUT",
                manifestUri(image),
                Map.of("Content-Type", mediaType),
                () -> BodyPublishers.ofByteArray(manifest));
        try (var answer = authorizer.send(request, TokenScope.push(image))) {
            if (!answer.isSuccess()) {
                throw failure(answer, image);
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

    /** With the registry's own words, which the OCI error envelope carries. */
    static ArtifactException failure(RegistryResponse answer, ImageReference image) {
        var reason = answer.failure("").reason();
        var text = reason == Reason.UNAUTHORIZED
                ? "Not authorized: url " + withoutQuery(answer.uri()) + otherHost(answer, image)
                : "Registry error: url " + withoutQuery(answer.uri()) + ", envelope: OCI API errors: [" + errors(answer)
                        + "]";
        return new ArtifactException(reason, text + " (status " + answer.status() + " for " + image + ")");
    }

    /** A redirect may carry a signed query. */
    private static URI withoutQuery(URI uri) {
        return URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath());
    }

    private static String otherHost(RegistryResponse answer, ImageReference image) {
        var host = answer.uri().getRawAuthority();
        return host.equalsIgnoreCase(image.apiHost())
                ? ""
                : ": " + host + " asks for credentials, which go to " + image.apiHost() + " only";
    }

    private static String errors(RegistryResponse answer) {
        try {
            var errors = JSON.readTree(answer.bytes(LONGEST_ERROR)).path("errors");
            return StreamSupport.stream(errors.spliterator(), false)
                    .map(error -> error.path("code").asText() + " "
                            + error.path("message").asText())
                    .collect(Collectors.joining(", "));
        } catch (IOException | ArtifactException e) {
            return "";
        }
    }
}
