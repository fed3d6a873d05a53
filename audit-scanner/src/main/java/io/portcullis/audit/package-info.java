/** Judges what already runs in a cluster by the policies that are enforced now, and writes a report on each object. */
@NullMarked
package io.portcullis.audit;

import org.jspecify.annotations.NullMarked;
