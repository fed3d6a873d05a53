package io.portcullis.server.memory;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Divides the memory of the container. The sum of the parts never exceeds the limit, because the kernel may kill every
 * process of a container when its memory is exhausted.
 *
 * @param limitBytes the memory limit of the container
 * @param heapBytes the maximum Java heap, which the JVM chose at its start
 * @param reserveBytes memory for the JVM outside its heap: code, metadata, threads, buffers
 * @param guestBytes memory for all policies that run at the same time
 * @param codeBytes memory for the native code of all modules
 * @param preparationBytes memory for all processes that prepare modules
 * @param preparations the number of processes that prepare modules at the same time
 * @param preparationBytesEach memory for each of these processes
 */
public record MemorySplit(
        long limitBytes,
        long heapBytes,
        long reserveBytes,
        long guestBytes,
        long codeBytes,
        long preparationBytes,
        int preparations,
        long preparationBytesEach) {

    private static final long MIB = 1 << 20;

    /** The memory of an idle process that waits for a module. */
    public static final long STANDBY_BYTES = 48 * MIB;

    private static final long SMALLEST_GUEST = 8 * MIB;
    private static final long SMALLEST_CODE = 4 * MIB;
    /** The smallest module needs about 90 MiB. */
    private static final long SMALLEST_PREPARATION = 96 * MIB;

    private static final long LARGEST_PREPARATION = 1024 * MIB;
    private static final long LARGEST_RESERVE = 512 * MIB;
    private static final double PREPARATION_PART = 0.7;
    /** Small policies compile to 1 to 6 MiB each and use 1 to 4 MiB while they run. */
    private static final double GUEST_PART = 0.5;

    /**
     * The values that the operator set with flags.
     *
     * @param preparationBytesEach memory for the preparation of one module
     */
    public record OperatorLimits(
            OptionalLong guestBytes,
            OptionalLong codeBytes,
            OptionalLong preparationBytesEach,
            OptionalInt preparations) {

        public static final OperatorLimits NONE = new OperatorLimits(
                OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalInt.empty());
    }

    /** The memory limit is too small for the required parts. */
    public static final class TooSmallException extends RuntimeException {
        TooSmallException(String message) {
            super(message);
        }
    }

    /**
     * Divides the memory.
     *
     * @param processors the number of processors; more preparations than processors are not faster
     * @throws TooSmallException when the parts do not fit; the message names the numbers and what to change
     */
    public static MemorySplit of(long limitBytes, long heapBytes, int processors, OperatorLimits operatorLimits) {
        var reserve = Math.min(64 * MIB + limitBytes / 16, LARGEST_RESERVE);
        var rest = limitBytes - heapBytes - reserve;
        var smallestGuest = operatorLimits.guestBytes().orElse(SMALLEST_GUEST);
        var smallestCode = operatorLimits.codeBytes().orElse(SMALLEST_CODE);
        var smallestPreparation = operatorLimits.preparationBytesEach().orElse(SMALLEST_PREPARATION)
                * operatorLimits.preparations().orElse(1);
        var needed = smallestGuest + smallestCode + smallestPreparation;
        if (rest < needed) {
            throw tooSmall(limitBytes, heapBytes, reserve, smallestGuest, smallestCode, smallestPreparation);
        }
        var spare = rest - needed;
        var preparation =
                preparation(rest, smallestPreparation, smallestPreparation + spare, processors, operatorLimits);
        var forGuestsAndCode = rest - preparation.total();
        var guest = operatorLimits
                .guestBytes()
                .orElseGet(() -> Math.max(
                        SMALLEST_GUEST,
                        operatorLimits.codeBytes().isPresent()
                                ? forGuestsAndCode - smallestCode
                                : Math.min((long) (forGuestsAndCode * GUEST_PART), forGuestsAndCode - SMALLEST_CODE)));
        var code = operatorLimits.codeBytes().orElse(forGuestsAndCode - guest);
        return new MemorySplit(
                limitBytes,
                heapBytes,
                reserve,
                guest,
                code,
                preparation.total(),
                preparation.count(),
                preparation.each());
    }

    private record Preparation(long total, int count, long each) {}

    private static Preparation preparation(
            long rest, long least, long most, int processors, OperatorLimits operatorLimits) {
        if (operatorLimits.preparationBytesEach().isPresent()) {
            var each = operatorLimits.preparationBytesEach().getAsLong();
            var fitting =
                    Math.clamp(Math.min(most, (long) (rest * PREPARATION_PART)) / each, 1, Math.max(1, processors));
            var count = operatorLimits.preparations().orElse(fitting);
            return new Preparation(each * count, count, each);
        }
        var part = Math.clamp((long) (rest * PREPARATION_PART), least, most);
        var count = operatorLimits
                .preparations()
                .orElse(Math.clamp(part / LARGEST_PREPARATION, 1, Math.max(1, processors)));
        var total = Math.min(part, count * LARGEST_PREPARATION);
        // A standby process needs memory too. If its share would be too large, the server starts it later.
        var forWork = total / count >= 6 * STANDBY_BYTES ? total - STANDBY_BYTES : total;
        return new Preparation(total, count, forWork / count);
    }

    private static TooSmallException tooSmall(
            long limit, long heap, long reserve, long guest, long code, long preparation) {
        return new TooSmallException(
                ("the memory limit of %s is too small: the Java heap takes %s, the JVM %s, policies %s,"
                                + " compiled modules %s, the preparation of modules %s; together %s. Raise the memory limit of the"
                                + " container, or lower the heap with -Xmx or the memory flags of the server")
                        .formatted(
                                mib(limit),
                                mib(heap),
                                mib(reserve),
                                mib(guest),
                                mib(code),
                                mib(preparation),
                                mib(heap + reserve + guest + code + preparation)));
    }

    /** Whether memory allows a standby process while all others work. */
    public boolean allowsStandbyWhileBusy() {
        return preparationBytesEach * preparations + STANDBY_BYTES <= preparationBytes;
    }

    /** Describes the split in one line for the log. */
    public String describe() {
        return "limit %s = heap %s + JVM %s + policies %s + compiled modules %s + preparation %s (%d at once, %s each)"
                .formatted(
                        mib(limitBytes),
                        mib(heapBytes),
                        mib(reserveBytes),
                        mib(guestBytes),
                        mib(codeBytes),
                        mib(preparationBytes),
                        preparations,
                        mib(preparationBytesEach));
    }

    private static String mib(long bytes) {
        return bytes / MIB + " MiB";
    }
}
