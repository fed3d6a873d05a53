/**
 * Admission of Portcullis resources as pure functions from object and old object to {@link
 * io.portcullis.core.validation.Validation}. The caller supplies facts from the cluster: whether a Secret exists, what a user
 * may do, whether an expression compiles.
 */
@NullMarked
package io.portcullis.core.validation;

import org.jspecify.annotations.NullMarked;
