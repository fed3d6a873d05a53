/** Checks the CRDs in the chart against the Java types and against structural rules. */
@NullMarked
package io.portcullis.api.crd;

import org.jspecify.annotations.NullMarked;
