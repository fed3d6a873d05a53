package io.portcullis.controller.certificates.authority;

import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.plan.CertificatePlan.Trust;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.UnusableCertificateException;
import java.time.Clock;
import java.time.Duration;

/**
 * Determines which authorities are trusted, and whether that has propagated. After a change of the authority, clients
 * that do not have the new one yet would reject its certificates. Such clients are API servers that watch webhook
 * configurations, and pods whose mounted Secrets the kubelet refreshes once a minute.
 *
 * @param settling how long after the change all clients trust the new authority
 */
public record AuthorityTrust(WebhookTrust webhooks, Clock clock, Duration settling) {

    public Trust of(AuthoritySecret authority) {
        var current = authority
                .current()
                .orElseThrow(() -> new UnusableCertificateException(AuthoritySecret.NAME, "has no ca.crt"));
        var old = authority.old();
        var changed = current.getNotBefore().toInstant().plus(CertificateMaker.BACKDATED);
        boolean isPropagated =
                old.isEmpty() || (!clock.instant().isBefore(changed.plus(settling)) && webhooks.allTrust(current));
        return new Trust(current, old, isPropagated);
    }
}
