package io.portcullis.controller.certificates;

import io.portcullis.controller.certificates.CertificatePlan.Trust;
import java.time.Clock;
import java.time.Duration;

/**
 * Who vouches for certificates, and whether everybody knows yet. After a change of the authority certificates of the new
 * one would be refused by whoever has not heard of it: API servers that watch webhook configurations, pods whose mounted
 * Secrets the kubelet refreshes once a minute.
 *
 * @param settling how long after the change everybody has heard
 */
record AuthorityTrust(WebhookTrust webhooks, Clock clock, Duration settling) {

    Trust of(AuthoritySecret authority) {
        var current = authority
                .current()
                .orElseThrow(() -> new UnusableCertificateException(AuthoritySecret.NAME, "has no ca.crt"));
        var old = authority.old();
        var changed = current.getNotBefore().toInstant().plus(CertificateMaker.BACKDATED);
        boolean isKnown =
                old.isEmpty() || (!clock.instant().isBefore(changed.plus(settling)) && webhooks.allTrust(current));
        return new Trust(current, old, isKnown);
    }
}
