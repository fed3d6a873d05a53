/** The custom resource definitions in the chart against the types and the rules they must keep. */
@NullMarked
package io.portcullis.api.crd;

import org.jspecify.annotations.NullMarked;
