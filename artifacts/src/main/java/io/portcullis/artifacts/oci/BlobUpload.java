package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.RegistryResponse;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.source.ImageReference;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.OptionalLong;

/** Uploads one blob in chunks, or in one piece if the registry does not support chunks. */
final class BlobUpload {

    private static final int CHUNK = 4 << 20;

    private final Authorizer authorizer;
    private final ImageReference image;
    private final Blob blob;
    private final DownloadProgress progress;
    private final TokenScope scope;
    private final String digest;

    BlobUpload(Authorizer authorizer, ImageReference image, Blob blob, DownloadProgress progress) {
        this.authorizer = authorizer;
        this.image = image;
        this.blob = blob;
        this.progress = progress;
        this.scope = TokenScope.push(image);
        this.digest = blob.digest();
    }

    void run() {
        if (exists()) {
            report(blob.bytes().length);
            return;
        }
        var session = start();
        for (int from = 0; from < blob.bytes().length; from += CHUNK) {
            int to = Math.min(from + CHUNK, blob.bytes().length);
            try (var response = authorizer.send(chunk(session, from, to), scope)) {
                if (response.status() / 100 == 4 && from == 0) {
                    inOnePiece();
                    return;
                }
                session = nextLocation(response);
            }
            report(to);
        }
        finish(session, new byte[0]);
    }

    private boolean exists() {
        var uri = RegistryClient.uri(image, "/blobs/" + digest);
        try (var response = authorizer.send(Request.head(uri, Map.of()), scope)) {
            return response.isSuccess();
        }
    }

    private URI start() {
        var uri = RegistryClient.uri(image, "/blobs/uploads/");
        try (var response = authorizer.send(new Request("POST", uri, Map.of(), BodyPublishers::noBody), scope)) {
            return nextLocation(response);
        }
    }

    private Request chunk(URI session, int from, int to) {
        return new Request(
                "PATCH",
                session,
                Map.of("Content-Type", "application/octet-stream", "Content-Range", from + "-" + (to - 1)),
                () -> BodyPublishers.ofByteArray(blob.bytes(), from, to - from));
    }

    private void inOnePiece() {
        finish(start(), blob.bytes());
        report(blob.bytes().length);
    }

    private void finish(URI session, byte[] rest) {
        var separator = session.getRawQuery() == null ? "?" : "&";
        var request = new Request(
                "PUT",
                URI.create(session + separator + "digest=" + digest),
                Map.of("Content-Type", "application/octet-stream"),
                () -> BodyPublishers.ofByteArray(rest));
        try (var response = authorizer.send(request, scope)) {
            if (!response.isSuccess()) {
                throw RegistryClient.failure(response, image);
            }
        }
    }

    /** Returns the URL for the next request. The registry may respond with a path or with an absolute URL. */
    private URI nextLocation(RegistryResponse response) {
        if (!response.isSuccess()) {
            throw RegistryClient.failure(response, image);
        }
        var location = response.header("Location")
                .orElseThrow(() -> new ArtifactException(
                        Reason.UNAVAILABLE, image + ": the registry started an upload without saying where"));
        var target = response.uri().resolve(location);
        // Reset the scheme to https: the current one may be plain HTTP, and the transport selects the protection
        // level again.
        return target.getRawAuthority().equals(image.apiHost())
                ? URI.create(
                        "https" + target.toString().substring(target.getScheme().length()))
                : target;
    }

    private void report(long bytes) {
        progress.transferred(bytes, OptionalLong.of(blob.bytes().length));
    }
}
