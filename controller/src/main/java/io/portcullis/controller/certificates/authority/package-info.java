/** The certificate authority, and the webhooks that trust it. */
@NullMarked
package io.portcullis.controller.certificates.authority;

import org.jspecify.annotations.NullMarked;
