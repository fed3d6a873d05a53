/** Serves admission reviews over HTTPS, with the client authorities that the API server uses. */
@NullMarked
package io.portcullis.controller.admission.http;

import org.jspecify.annotations.NullMarked;
