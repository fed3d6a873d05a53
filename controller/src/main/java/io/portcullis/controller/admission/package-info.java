/**
 * Admission of our own resources. The API server calls {@link io.portcullis.controller.admission.AdmissionServer},
 * {@code core.validation} decides, and this package looks up the facts that only the cluster has.
 */
@NullMarked
package io.portcullis.controller.admission;

import org.jspecify.annotations.NullMarked;
