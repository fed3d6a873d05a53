package io.portcullis.artifacts.http;

import java.util.OptionalLong;

/** Receives the progress of a download, on the thread that downloads. kwctl draws a progress bar with it. */
@FunctionalInterface
public interface DownloadProgress {

    DownloadProgress SILENT = (_, _) -> {};

    /** @param total absent if the server does not declare a length */
    void transferred(long bytes, OptionalLong total);
}
