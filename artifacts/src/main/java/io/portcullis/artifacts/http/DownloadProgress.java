package io.portcullis.artifacts.http;

import java.util.OptionalLong;

/** Told while bytes arrive, from the thread that asked for them; kwctl draws a bar with it. */
@FunctionalInterface
public interface DownloadProgress {

    DownloadProgress SILENT = (_, _) -> {};

    /** @param total absent when the server does not say */
    void transferred(long bytes, OptionalLong total);
}
