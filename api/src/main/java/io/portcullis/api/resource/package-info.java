/** The base class of the Portcullis resources. */
@NullMarked
package io.portcullis.api.resource;

import org.jspecify.annotations.NullMarked;
