/**
 * HTTP client for artefacts: per-host trust, proxies and concurrency, retries, redirect and size limits, and a
 * minimum transfer rate. {@link io.portcullis.artifacts.http.Transport} is the entry point. {@link
 * io.portcullis.artifacts.http.Download} downloads one body to disk.
 */
@NullMarked
package io.portcullis.artifacts.http;

import org.jspecify.annotations.NullMarked;
