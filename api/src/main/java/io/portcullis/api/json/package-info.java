/**
 * JSON that we carry or hash rather than map: canonical form, and reading several records out of one flat object.
 */
@NullMarked
package io.portcullis.api.json;

import org.jspecify.annotations.NullMarked;
