/**
 * Helpers for untyped JSON: canonical text and digest, and reading several records from one flat object.
 */
@NullMarked
package io.portcullis.api.json;

import org.jspecify.annotations.NullMarked;
