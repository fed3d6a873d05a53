package io.portcullis.artifacts.oci;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.RegistryResponse;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.source.ImageReference;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.OptionalLong;

/** One blob on its way up: in chunks, and in one piece where a registry does not take chunks. */
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
            try (var answer = authorizer.send(chunk(session, from, to), scope)) {
                if (answer.status() / 100 == 4 && from == 0) {
                    inOnePiece();
                    return;
                }
                session = next(answer);
            }
            report(to);
        }
        finish(session, new byte[0]);
    }

    private boolean exists() {
        var uri = RegistryClient.uri(image, "/blobs/" + digest);
        try (var answer = authorizer.send(Request.head(uri, Map.of()), scope)) {
            return answer.isSuccess();
        }
    }

    private URI start() {
        var uri = RegistryClient.uri(image, "/blobs/uploads/");
        try (var answer = authorizer.send(new Request("POST", uri, Map.of(), BodyPublishers::noBody), scope)) {
            return next(answer);
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
        try (var answer = authorizer.send(request, scope)) {
            if (!answer.isSuccess()) {
                throw RegistryClient.failure(answer, image);
            }
        }
    }

    /** Where the registry wants the next piece; it may answer with a path or with its own idea of its address. */
    private URI next(RegistryResponse answer) {
        if (!answer.isSuccess()) {
            throw RegistryClient.failure(answer, image);
        }
        var location = answer.header("Location")
                .orElseThrow(() -> new ArtifactException(
                        Reason.UNAVAILABLE, image + ": the registry started an upload without saying where"));
        var target = answer.uri().resolve(location);
        // The way to this host was found already, and it may be plain HTTP: let the transport choose again.
        return target.getRawAuthority().equals(image.apiHost())
                ? URI.create(
                        "https" + target.toString().substring(target.getScheme().length()))
                : target;
    }

    private void report(long bytes) {
        progress.transferred(bytes, OptionalLong.of(blob.bytes().length));
    }
}
