/**
 * Fetches policies: references, registries, HTTP and files, signatures, the local store and the signed shared cache.
 * {@link io.portcullis.artifacts.ModuleFetcher} is the entry point.
 */
@NullMarked
package io.portcullis.artifacts;

import org.jspecify.annotations.NullMarked;
