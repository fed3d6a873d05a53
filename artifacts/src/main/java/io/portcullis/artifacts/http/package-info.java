/**
 * HTTP as artefacts need it: per-host trust, proxies and concurrency, retries, redirect and size limits, bodies that
 * may not crawl. {@link io.portcullis.artifacts.http.Transport} is the entry; {@link
 * io.portcullis.artifacts.http.Download} brings one body safely onto the disk.
 */
@NullMarked
package io.portcullis.artifacts.http;

import org.jspecify.annotations.NullMarked;
