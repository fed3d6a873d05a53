package io.portcullis.artifacts.http;

import java.io.IOException;

/** Reports that a body arrived below the minimum transfer rate, or took too long in total. */
final class SlowBodyException extends IOException {

    SlowBodyException(long bytes) {
        super("the body is too slow: only " + bytes + " bytes so far");
    }
}
