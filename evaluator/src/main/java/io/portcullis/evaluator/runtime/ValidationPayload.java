package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.EvaluationRequest;
import java.nio.charset.StandardCharsets;

/** The input document of waPC and WASI guests: {@code {"request": …, "settings": …}}. */
public final class ValidationPayload {

    private static final byte[] HEAD = "{\"request\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MIDDLE = ",\"settings\":".getBytes(StandardCharsets.US_ASCII);

    private ValidationPayload() {}

    /** Concatenates two JSON documents. This is the only copy of the request that an evaluation makes. */
    public static byte[] of(EvaluationRequest request, byte[] settings) {
        var json = request.json();
        var payload = new byte[HEAD.length + json.length + MIDDLE.length + settings.length + 1];
        int end = append(payload, 0, HEAD);
        end = append(payload, end, json);
        end = append(payload, end, MIDDLE);
        end = append(payload, end, settings);
        payload[end] = '}';
        return payload;
    }

    private static int append(byte[] target, int at, byte[] part) {
        System.arraycopy(part, 0, target, at, part.length);
        return at + part.length;
    }
}
