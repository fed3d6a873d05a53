package io.portcullis.evaluator.review;

import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.EvaluationRequest.Admission;
import io.portcullis.evaluator.EvaluationRequest.Raw;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import java.util.Arrays;
import java.util.function.Function;

/** Parses the body of an HTTP request into a request for policies, in one pass over the bytes and without a tree. */
public final class Reviews {

    private Reviews() {}

    /**
     * Reads an AdmissionReview; ignores its {@code kind} and {@code apiVersion}.
     *
     * @throws BadReviewException if the body is not an AdmissionReview
     */
    public static Admission admission(byte[] body) {
        return read(body, "struct AdmissionReviewRequest", scanner -> new AdmissionRequestReader(scanner, body).read());
    }

    /**
     * Reads {@code {"request": …}} with any value.
     *
     * @throws BadReviewException if the body has another shape
     */
    public static Raw raw(byte[] body) {
        return read(body, "struct RawReviewRequest", scanner -> raw(scanner, body));
    }

    private static Raw raw(JsonScanner scanner, byte[] body) {
        String uid = "";
        int first = scanner.peek();
        int start = scanner.position();
        if (first == '{') {
            scanner.enterObject("map");
            boolean found = false;
            for (var key = scanner.nextKey(); key != null; key = scanner.nextKey()) {
                if (key.equals("uid")) {
                    if (found) {
                        throw scanner.shape("duplicate field `uid`");
                    }
                    found = true;
                    uid = scanner.peek() == '"' ? scanner.readString() : skipAndReturnEmpty(scanner);
                } else {
                    scanner.skipValue();
                }
            }
        } else {
            scanner.skipValue();
        }
        return new Raw(uid, Arrays.copyOfRange(body, start, scanner.position()));
    }

    private static String skipAndReturnEmpty(JsonScanner scanner) {
        scanner.skipValue();
        return "";
    }

    private static <T extends EvaluationRequest> T read(
            byte[] body, String expected, Function<JsonScanner, T> requestReader) {
        var scanner = new JsonScanner(body);
        T request = null;
        try {
            scanner.enterObject(expected);
            for (var key = scanner.nextKey(); key != null; key = scanner.nextKey()) {
                if (!key.equals("request")) {
                    scanner.skipValue();
                } else if (request == null) {
                    request = requestReader.apply(scanner);
                } else {
                    throw scanner.shape("duplicate field `request`");
                }
            }
            if (request == null) {
                throw scanner.shape("missing field `request`");
            }
            scanner.finish();
            return request;
        } catch (JsonException e) {
            throw new BadReviewException(e);
        }
    }
}
