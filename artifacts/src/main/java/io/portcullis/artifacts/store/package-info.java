/**
 * The local policy store in kwctl's layout, and the archives that carry policies where there is no network. {@link
 * io.portcullis.artifacts.store.PolicyStore} and {@link io.portcullis.artifacts.store.PolicyArchive} are the entries.
 */
@NullMarked
package io.portcullis.artifacts.store;

import org.jspecify.annotations.NullMarked;
