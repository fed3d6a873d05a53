package io.portcullis.evaluator.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One recorded exchange with Kubewarden's policy server. */
public record WireExample(byte[] requestBody, String responseBody) {

    /** @param name the file name without {@code .request.http} */
    public static WireExample named(String name) {
        return new WireExample(
                body(name + ".request.http"), new String(body(name + ".response.http"), StandardCharsets.UTF_8));
    }

    /** Returns the text of an error response, which is JSON on one endpoint and plain text on the others. */
    public String errorText() {
        var json = responseBody.startsWith("{\"message\":\"");
        return json
                ? responseBody
                        .substring("{\"message\":\"".length(), responseBody.lastIndexOf("\",\"status\":"))
                        .replace("\\\"", "\"")
                : responseBody;
    }

    private static byte[] body(String file) {
        try (var stream = WireExample.class.getResourceAsStream("/wire-examples/" + file)) {
            if (stream == null) {
                throw new IllegalArgumentException("no such example: " + file);
            }
            var bytes = stream.readAllBytes();
            var text = new String(bytes, StandardCharsets.ISO_8859_1);
            var head = text.substring(0, text.indexOf("\r\n\r\n") + 4);
            var length = head.toLowerCase(java.util.Locale.ROOT).replaceAll("(?s).*content-length: (\\d+).*", "$1");
            return Arrays.copyOfRange(bytes, head.length(), head.length() + Integer.parseInt(length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
