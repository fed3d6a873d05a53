/** Certificates for the servers that tests run: {@link io.portcullis.testkit.certificate.ServingCertificate}. */
@NullMarked
package io.portcullis.testkit.certificate;

import org.jspecify.annotations.NullMarked;
