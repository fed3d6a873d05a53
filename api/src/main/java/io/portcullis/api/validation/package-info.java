/**
 * Admission of our own resources as pure functions: object and old object in, {@link
 * io.portcullis.api.validation.Validation} out. What only the cluster knows (whether a Secret exists, what a user may
 * do, whether an expression compiles) is handed in or added by the caller.
 */
@NullMarked
package io.portcullis.api.validation;

import org.jspecify.annotations.NullMarked;
