/**
 * Builds Kubernetes resources and other documents from the metadata of policies: the pure functions behind {@code kwctl
 * scaffold}.
 */
@NullMarked
package io.portcullis.kwctl.manifest;

import org.jspecify.annotations.NullMarked;
