package io.portcullis.process.http;

import io.portcullis.fuzz.Inputs;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** HTTP responses of API servers: an IOException, or a body within the input and the limit. */
public final class HttpAnswerFuzz {

    private static final int LIMIT = 1 << 16;

    private HttpAnswerFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var answer = HttpAnswer.read(new ByteArrayInputStream(input), LIMIT);
            Inputs.check(answer.body().length <= Math.min(LIMIT, input.length), "the body was sent");
            Inputs.check(answer.status() >= 200 && answer.status() < 600, "the status is a valid HTTP status");
        } catch (IOException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
