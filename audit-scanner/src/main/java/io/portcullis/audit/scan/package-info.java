/** Scans the cluster once: {@link io.portcullis.audit.scan.AuditScan}. */
@NullMarked
package io.portcullis.audit.scan;

import org.jspecify.annotations.NullMarked;
