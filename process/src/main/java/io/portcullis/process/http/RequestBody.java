package io.portcullis.process.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;

/** Reads JSON bodies. Never holds more than the limit, whatever the client announces or sends. */
public final class RequestBody {

    private static final int CHUNK = 16 << 10;

    private RequestBody() {}

    /** @throws HttpProblem 415 or 413 */
    public static byte[] read(ServerRequest request, long limit) throws IOException {
        if (!isJson(request.headers().first(HeaderNames.CONTENT_TYPE).orElse(""))) {
            throw new HttpProblem(415, "Expected request with `Content-Type: application/json`");
        }
        var announced = request.headers().contentLength().orElse(-1);
        if (announced > limit) {
            throw tooLarge();
        }
        if (announced == 0 || !request.content().hasEntity()) {
            return new byte[0];
        }
        // Not closed here: closing reads to the end, and a body that is too large may have none.
        var in = request.content().inputStream();
        return announced > 0 ? readExactly(in, (int) announced) : readUpTo(in, limit);
    }

    private static byte[] readExactly(InputStream in, int length) throws IOException {
        var body = new byte[length];
        var read = in.readNBytes(body, 0, length);
        return read == length ? body : Arrays.copyOf(body, read);
    }

    private static byte[] readUpTo(InputStream in, long limit) throws IOException {
        var body = new ByteArrayOutputStream(CHUNK);
        var chunk = new byte[CHUNK];
        for (var read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            if (body.size() + read > limit) {
                throw tooLarge();
            }
            body.write(chunk, 0, read);
        }
        return body.toByteArray();
    }

    private static HttpProblem tooLarge() {
        return new HttpProblem(413, "Failed to buffer the request body: length limit exceeded");
    }

    /** {@code application/json} or {@code application/<anything>+json}, with any parameters. */
    public static boolean isJson(String contentType) {
        if (contentType.equals("application/json")) {
            return true;
        }
        var type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals("application/json")
                || (type.startsWith("application/") && type.endsWith("+json") && type.indexOf(' ') < 0);
    }
}
