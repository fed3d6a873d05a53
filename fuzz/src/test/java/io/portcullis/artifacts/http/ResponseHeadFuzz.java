package io.portcullis.artifacts.http;

import io.portcullis.fuzz.Inputs;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** HTTP responses of registries: an IOException, or a body that is not longer than the input. */
public final class ResponseHeadFuzz {

    private ResponseHeadFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var in = new ByteArrayInputStream(input);
        try {
            var head = ResponseHead.read(in);
            head.headers();
            var left = in.available();
            Inputs.check(head.body(in, "GET").readAllBytes().length <= left, "the body was sent");
        } catch (IOException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
