/**
 * The installation's certificates: a certificate authority and the certificates that it signs, created, checked and
 * rotated, unless the user provides them. {@link io.portcullis.controller.certificates.CertificatePlan} decides; the
 * other classes read and write Secrets.
 */
@NullMarked
package io.portcullis.controller.certificates;

import org.jspecify.annotations.NullMarked;
