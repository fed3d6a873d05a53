/**
 * The local policy store in kwctl's layout, and policy archives for sites without network access. {@link
 * io.portcullis.artifacts.store.PolicyStore} and {@link io.portcullis.artifacts.store.PolicyArchive} are the entry
 * points.
 */
@NullMarked
package io.portcullis.artifacts.store;

import org.jspecify.annotations.NullMarked;
