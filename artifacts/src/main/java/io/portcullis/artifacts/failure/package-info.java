/**
 * Why an artifact cannot be used: one exception with a reason, which all packages of this module throw.
 */
@NullMarked
package io.portcullis.artifacts.failure;

import org.jspecify.annotations.NullMarked;
