package io.portcullis.artifacts.http;

import java.time.Duration;

/** Waits between attempts. A test puts its own in and does not wait. */
@FunctionalInterface
public interface RetryPause {

    RetryPause SLEEP = Thread::sleep;

    void forDuration(Duration duration) throws InterruptedException;
}
