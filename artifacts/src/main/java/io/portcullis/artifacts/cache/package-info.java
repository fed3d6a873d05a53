/**
 * The cache that the replicas of one PolicyServer share. It holds native code, so that nothing in it is used before its
 * signature was checked: {@link io.portcullis.artifacts.cache.SharedCache} is the entry.
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
