/**
 * Renders the webhook configuration of a policy as a pure function of its revision: {@link
 * io.portcullis.api.webhook.DesiredWebhook}.
 */
@NullMarked
package io.portcullis.api.webhook;

import org.jspecify.annotations.NullMarked;
