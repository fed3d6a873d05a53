package io.portcullis.kwctl.run;

import io.portcullis.evaluator.host.HostCallObserver;
import java.time.Duration;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs every host call to standard error, without request and response: they may contain secrets, and recordings contain
 * them.
 */
final class HostCallTrace implements HostCallObserver {

    private static final Logger log = LoggerFactory.getLogger("kwctl::host");

    @Override
    public void called(String policyId, String capability, Outcome outcome, Duration duration) {
        log.atInfo()
                .addKeyValue("policy_id", policyId)
                .addKeyValue("capability", capability)
                .addKeyValue("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .addKeyValue("micros", duration.toNanos() / 1000)
                .log("host call");
    }

    @Override
    public void cacheLookup(String requestType, boolean hit) {
        // kwctl has no cache of host call responses.
    }
}
