/** The certificates that the authority signs, for policy servers, the audit scanner and our own webhooks. */
@NullMarked
package io.portcullis.controller.certificates.leaf;

import org.jspecify.annotations.NullMarked;
