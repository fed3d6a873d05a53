/**
 * Which policies see the same requests, and so whether one of them affects another: {@link
 * io.portcullis.api.overlap.Reach}. What it calls disjoint is disjoint; what it calls overlapping may, because
 * of conditions in CEL, still never meet.
 */
@NullMarked
package io.portcullis.api.overlap;

import org.jspecify.annotations.NullMarked;
