package io.portcullis.server.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock whose time passes only when a test calls {@link #pass}. */
public final class ManualClock implements InstantSource {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong wallClockError = new AtomicLong();

    public void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Sets the wall clock forward or back, as an operator or NTP does. No time passes. */
    public void stepWallClock(Duration by) {
        wallClockError.addAndGet(by.toNanos());
    }

    public long nanos() {
        return nanos.get();
    }

    @Override
    public Instant instant() {
        return START.plusNanos(nanos.get() + wallClockError.get());
    }
}
