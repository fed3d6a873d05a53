/**
 * The load generator behind {@code ./portcullis bench serve}. {@link io.portcullis.server.bench.ServeBench} is the entry
 * point.
 */
@NullMarked
package io.portcullis.server.bench;

import org.jspecify.annotations.NullMarked;
