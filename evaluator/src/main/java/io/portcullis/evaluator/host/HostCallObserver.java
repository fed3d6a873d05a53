package io.portcullis.evaluator.host;

import java.time.Duration;

/** Sees every host call, for metrics. Called on the guest's thread; must be quick. */
public interface HostCallObserver {

    /** How a call ended. */
    enum Outcome {
        ANSWERED,
        FAILED,
        DENIED
    }

    /** @param capability namespace and operation, {@code other} when the guest made them up */
    void called(String policyId, String capability, Outcome outcome, Duration duration);

    /** Whether an answer that may be cached was found in the cache. */
    void cacheAsked(String requestType, boolean hit);

    static HostCallObserver none() {
        return new HostCallObserver() {
            @Override
            public void called(String policyId, String capability, Outcome outcome, Duration duration) {}

            @Override
            public void cacheAsked(String requestType, boolean hit) {}
        };
    }
}
