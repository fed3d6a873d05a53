/** Plain requests to the API server, and lists of objects page by page. */
@NullMarked
package io.portcullis.audit.cluster;

import org.jspecify.annotations.NullMarked;
