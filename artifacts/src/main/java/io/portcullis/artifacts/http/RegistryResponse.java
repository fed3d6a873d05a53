package io.portcullis.artifacts.http;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.Optional;
import java.util.OptionalLong;

/** A response of a registry or web server. Holds a permit for its host until it is closed. */
public final class RegistryResponse implements AutoCloseable {

    private final Request request;
    private final URI uri;
    private final int status;
    private final HttpHeaders headers;
    private final InputStream body;

    RegistryResponse(Request request, URI uri, int status, HttpHeaders headers, InputStream body) {
        this.request = request;
        this.uri = uri;
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    public int status() {
        return status;
    }

    public boolean isSuccess() {
        return status / 100 == 2;
    }

    /** Returns the URL that sent this response, after redirects and fallbacks. */
    public URI uri() {
        return uri;
    }

    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    HttpHeaders headers() {
        return headers;
    }

    /** Returns the declared content length. Use it only to reject a body early. */
    public OptionalLong length() {
        try {
            return headers.firstValueAsLong("Content-Length");
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Returns the body. Reading fails with a timeout if the server sends too slowly. */
    public InputStream body() {
        return body;
    }

    /** Reads the whole body, up to a limit. */
    public byte[] bytes(int limit) {
        try {
            var bytes = body.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new ArtifactException(Reason.TOO_LARGE, request + " answered more than " + limit + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw HttpFailures.of(request, e);
        }
    }

    /** Converts this status into an exception. */
    public ArtifactException failure(String detail) {
        return HttpFailures.of(request, status, detail);
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException e) {
            throw HttpFailures.of(request, e);
        }
    }
}
