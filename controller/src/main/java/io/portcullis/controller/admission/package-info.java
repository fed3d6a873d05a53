/**
 * Admission of our own resources: the request and the verdict. The API server calls
 * {@link io.portcullis.controller.admission.http.AdmissionServer}; {@code rules} decides.
 */
@NullMarked
package io.portcullis.controller.admission;

import org.jspecify.annotations.NullMarked;
