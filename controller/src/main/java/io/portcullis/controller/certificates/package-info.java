/**
 * The installation's certificates: an authority of our own and what it signs, made, checked and rotated, unless somebody
 * brings theirs. {@link io.portcullis.controller.certificates.CertificatePlan} decides, everything else reads and writes
 * Secrets.
 */
@NullMarked
package io.portcullis.controller.certificates;

import org.jspecify.annotations.NullMarked;
