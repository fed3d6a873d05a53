package io.portcullis.evaluator.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the log output of each policy: bytes per minute and the length of a line. Counts the lines beyond the limit
 * and reports them as one line per policy and minute. Thread-safe.
 */
public final class LogQuota {

    public static final long DEFAULT_BYTES_PER_MINUTE = 64L << 10;
    public static final int DEFAULT_LINE_LENGTH = 4 << 10;

    /** The quota of programs and tests that set none. */
    static final LogQuota DEFAULT = new LogQuota(DEFAULT_BYTES_PER_MINUTE, DEFAULT_LINE_LENGTH, System::nanoTime);

    private static final Logger log = LoggerFactory.getLogger(LogQuota.class);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** The bytes of a line besides its text: time stamp, level, names. */
    private static final int LINE_OVERHEAD = 128;

    private final long bytesPerMinute;
    private final int lineLength;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Usage> usages = new HashMap<>();
    private long minuteStart;
    private long droppedInTotal;

    /** The log output of one policy in the current minute. */
    private static final class Usage {
        private long bytes;
        private long dropped;
    }

    /** The number of dropped lines of one policy. */
    private record Dropped(String policyId, long lines) {}

    /** @param nanoTime a monotonic clock */
    public LogQuota(long bytesPerMinute, int lineLength, LongSupplier nanoTime) {
        this.bytesPerMinute = bytesPerMinute;
        this.lineLength = lineLength;
        this.nanoTime = nanoTime;
        this.minuteStart = nanoTime.getAsLong();
    }

    /** Returns the text to log, shortened if necessary; empty if the policy has used up its quota. */
    public Optional<String> admit(String policyId, String text) {
        var line = shortened(text);
        boolean admitted;
        List<Dropped> report;
        lock.lock();
        try {
            report = startMinute();
            var usage = usages.computeIfAbsent(policyId, _ -> new Usage());
            long bytes = (long) line.length() + LINE_OVERHEAD;
            admitted = usage.bytes + bytes <= bytesPerMinute;
            if (admitted) {
                usage.bytes += bytes;
            } else {
                usage.bytes = bytesPerMinute; // otherwise a shorter line could follow, and the log would look complete
                usage.dropped++;
                droppedInTotal++;
            }
        } finally {
            lock.unlock();
        }
        report.forEach(this::report);
        return admitted ? Optional.of(line) : Optional.empty();
    }

    /**
     * Returns whether the next line would be dropped, and counts it as dropped. Callers can then skip parsing the line.
     */
    public boolean isUsedUp(String policyId) {
        lock.lock();
        try {
            var usage = usages.get(policyId);
            if (usage == null || usage.bytes < bytesPerMinute || nanoTime.getAsLong() - minuteStart >= MINUTE) {
                return false;
            }
            usage.dropped++;
            droppedInTotal++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The maximum number of characters of a line. */
    public int lineLength() {
        return lineLength;
    }

    public long bytesPerMinute() {
        return bytesPerMinute;
    }

    /** The number of lines dropped since the process started. */
    public long droppedLines() {
        lock.lock();
        try {
            return droppedInTotal;
        } finally {
            lock.unlock();
        }
    }

    /** The bytes that all policies wrote in the current minute. */
    public long usedBytes() {
        lock.lock();
        try {
            return usages.values().stream().mapToLong(usage -> usage.bytes).sum();
        } finally {
            lock.unlock();
        }
    }

    /** Clears the usage of the previous minute, so that only policies that wrote in the current minute use memory. */
    private List<Dropped> startMinute() {
        long now = nanoTime.getAsLong();
        if (now - minuteStart < MINUTE) {
            return List.of();
        }
        var report = new ArrayList<Dropped>();
        usages.forEach((policyId, usage) -> {
            if (usage.dropped > 0) {
                report.add(new Dropped(policyId, usage.dropped));
            }
        });
        usages.clear();
        minuteStart = now;
        return report;
    }

    private void report(Dropped dropped) {
        log.atWarn()
                .addKeyValue("policy_id", dropped.policyId)
                .addKeyValue("dropped_lines", dropped.lines)
                .addKeyValue("limit_bytes_per_minute", bytesPerMinute)
                .log("{} log lines of policy {} dropped", dropped.lines, dropped.policyId);
    }

    private String shortened(String text) {
        if (text.length() <= lineLength) {
            return text;
        }
        return text.substring(0, lineLength) + "… (" + (text.length() - lineLength) + " characters cut)";
    }
}
