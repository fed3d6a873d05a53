/**
 * The cache that the replicas of one PolicyServer share. It contains native code, so the signature of every file is
 * checked before use. {@link io.portcullis.artifacts.cache.SharedCache} is the entry point.
 *
 * <pre>
 *   &lt;root&gt;/ghcr.io/kubewarden/policies/pod-privileged/&lt;sha256 of the module&gt;/
 *       original.wasm                       original.wasm.sig
 *       optimized-&lt;engine fingerprint&gt;.bin   optimized-&lt;engine fingerprint&gt;.bin.sig
 * </pre>
 */
@NullMarked
package io.portcullis.artifacts.cache;

import org.jspecify.annotations.NullMarked;
