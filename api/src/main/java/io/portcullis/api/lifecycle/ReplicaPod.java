package io.portcullis.api.lifecycle;

import java.time.Duration;
import java.util.Optional;

/**
 * One replica of the policy server as the cluster sees it.
 *
 * @param uid of its pod, if there is one
 * @param notReadyFor how long it has not been ready; absent: it is ready
 */
public record ReplicaPod(int ordinal, Optional<String> uid, Optional<Duration> notReadyFor) {

    public boolean isReady() {
        return uid.isPresent() && notReadyFor.isEmpty();
    }

    boolean hasBeenDownFor(Duration time) {
        return notReadyFor.filter(down -> down.compareTo(time) > 0).isPresent();
    }
}
