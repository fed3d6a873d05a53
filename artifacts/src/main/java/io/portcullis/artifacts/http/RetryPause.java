package io.portcullis.artifacts.http;

import java.time.Duration;

/** Waits between attempts. Tests replace it to avoid waiting. */
@FunctionalInterface
public interface RetryPause {

    RetryPause SLEEP = Thread::sleep;

    void forDuration(Duration duration) throws InterruptedException;
}
