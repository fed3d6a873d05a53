/** Untyped requests to the API server, and paged lists of objects. */
@NullMarked
package io.portcullis.audit.cluster;

import org.jspecify.annotations.NullMarked;
