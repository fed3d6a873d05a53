/**
 * Admission of our own resources: {@link io.portcullis.controller.admission.AdmissionServer} is called by the API server,
 * {@code api.validation} judges, what only the cluster knows is looked up in between.
 */
@NullMarked
package io.portcullis.controller.admission;

import org.jspecify.annotations.NullMarked;
