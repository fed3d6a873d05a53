/** Reports on objects: how they look and where they are kept. */
@NullMarked
package io.portcullis.audit.report;

import org.jspecify.annotations.NullMarked;
