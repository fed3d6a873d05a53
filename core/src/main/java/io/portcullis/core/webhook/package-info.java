/**
 * Renders the webhook configuration of a policy as a pure function of its revision: {@link
 * io.portcullis.core.webhook.DesiredWebhook}.
 */
@NullMarked
package io.portcullis.core.webhook;

import org.jspecify.annotations.NullMarked;
