package io.portcullis.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates request bodies for tests. */
final class Reviews {

    private Reviews() {}

    static String allowed() throws IOException {
        return Files.readString(Path.of("../examples/allowed-review.json"));
    }

    static String rejected() throws IOException {
        return Files.readString(Path.of("../examples/rejected-review.json"));
    }

    /** A pod that makes the sleeping policy sleep. */
    static String sleeping(int millis) {
        return """
                {"request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},\
                "resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE","userInfo":{},\
                "object":{"metadata":{"annotations":{"kubewarden.sleep_duration_milliseconds":"%d"}}}}}""".formatted(millis);
    }
}
