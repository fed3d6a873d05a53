package io.portcullis.core.lifecycle;

import java.time.Duration;
import java.util.Optional;

/**
 * One replica of the policy server as observed in the cluster.
 *
 * @param uid UID of its pod; absent: there is no pod
 * @param notReadyFor how long the replica has not been ready; absent: it is ready
 */
public record ReplicaPod(int ordinal, Optional<String> uid, Optional<Duration> notReadyFor) {

    public boolean isReady() {
        return uid.isPresent() && notReadyFor.isEmpty();
    }

    boolean hasBeenDownFor(Duration time) {
        return notReadyFor.filter(down -> down.compareTo(time) > 0).isPresent();
    }
}
