package io.portcullis.process.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;

/** The JSON body of every error response: {@code {"message":…,"status":…}}. */
public final class ErrorBody {

    private ErrorBody() {}

    public static byte[] of(int status, String message) {
        var quoted = new String(JsonStringEncoder.getInstance().quoteAsString(message));
        return ("{\"message\":\"" + quoted + "\",\"status\":" + status + "}").getBytes(StandardCharsets.UTF_8);
    }
}
