/**
 * Fetches policies: {@link io.portcullis.artifacts.PolicyFetcher} through the local store, {@link
 * io.portcullis.artifacts.PinnedModules} by digest for replicas in a cluster. The packages below read references, connect to
 * registries and web servers, verify signatures, and keep the store and the signed shared cache. They never depend on this
 * package.
 */
@NullMarked
package io.portcullis.artifacts;

import org.jspecify.annotations.NullMarked;
