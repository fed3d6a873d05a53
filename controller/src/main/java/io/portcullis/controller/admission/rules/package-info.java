/** The admission rules for each kind: {@code core.validation} decides, with facts that only the cluster has. */
@NullMarked
package io.portcullis.controller.admission.rules;

import org.jspecify.annotations.NullMarked;
