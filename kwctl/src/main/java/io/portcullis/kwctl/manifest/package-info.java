/**
 * Makes Kubernetes resources and other documents out of what policies say about themselves: the pure part of {@code kwctl
 * scaffold}.
 */
@NullMarked
package io.portcullis.kwctl.manifest;

import org.jspecify.annotations.NullMarked;
