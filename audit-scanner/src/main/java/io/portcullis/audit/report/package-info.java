/** Builds and stores the reports on objects. */
@NullMarked
package io.portcullis.audit.report;

import org.jspecify.annotations.NullMarked;
