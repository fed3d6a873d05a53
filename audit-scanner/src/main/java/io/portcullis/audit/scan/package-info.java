/** One pass over the cluster: {@link io.portcullis.audit.scan.AuditScan}. */
@NullMarked
package io.portcullis.audit.scan;

import org.jspecify.annotations.NullMarked;
