package io.portcullis.artifacts.http;

import java.io.IOException;

/** A body came slower than an honest server sends. */
final class CrawlingBodyException extends IOException {

    CrawlingBodyException(long bytes) {
        super("the body crawls: only " + bytes + " bytes so far");
    }
}
