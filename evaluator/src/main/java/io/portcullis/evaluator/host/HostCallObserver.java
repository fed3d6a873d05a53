package io.portcullis.evaluator.host;

import java.time.Duration;

/** Receives every host call, for metrics. Runs on the guest's thread and must be fast. */
public interface HostCallObserver {

    /** The result of a call. */
    enum Outcome {
        ANSWERED,
        FAILED,
        DENIED
    }

    /** @param capability namespace and operation; {@code other} if they are not a defined operation */
    void called(String policyId, String capability, Outcome outcome, Duration duration);

    /** Reports whether a cacheable answer was in the cache. */
    void cacheLookup(String requestType, boolean hit);

    static HostCallObserver none() {
        return new HostCallObserver() {
            @Override
            public void called(String policyId, String capability, Outcome outcome, Duration duration) {}

            @Override
            public void cacheLookup(String requestType, boolean hit) {}
        };
    }
}
