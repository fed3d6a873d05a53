package io.portcullis.server.memory;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How the memory of the container is divided. The parts never exceed the limit together, because a kernel that runs out of
 * memory may end every process of a container at once.
 *
 * @param limitBytes of the container
 * @param heapBytes the largest Java heap; the JVM chose it when it started
 * @param reserveBytes for the JVM outside of its heap: its own code and data, threads, buffers
 * @param guestBytes for all policies that run at the same time
 * @param codeBytes for the native code of all modules
 * @param preparationBytes for all processes that prepare modules
 * @param preparations processes that prepare modules at the same time
 * @param preparationBytesEach what each of these processes may use
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

    /** An idle process that waits for a module. */
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
     * What the operator decided.
     *
     * @param preparationBytesEach for one module
     */
    public record Wishes(
            OptionalLong guestBytes,
            OptionalLong codeBytes,
            OptionalLong preparationBytesEach,
            OptionalInt preparations) {

        public static final Wishes NONE =
                new Wishes(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalInt.empty());
    }

    /** The limit is too small for what the server must hold. */
    public static final class TooSmallException extends RuntimeException {
        TooSmallException(String message) {
            super(message);
        }
    }

    /**
     * Divides the memory.
     *
     * @param processors a preparation beyond them gains nothing
     * @throws TooSmallException when the parts do not fit; the message names the numbers and what to change
     */
    public static MemorySplit of(long limitBytes, long heapBytes, int processors, Wishes wishes) {
        var reserve = Math.min(64 * MIB + limitBytes / 16, LARGEST_RESERVE);
        var rest = limitBytes - heapBytes - reserve;
        var smallestGuest = wishes.guestBytes().orElse(SMALLEST_GUEST);
        var smallestCode = wishes.codeBytes().orElse(SMALLEST_CODE);
        var smallestPreparation = wishes.preparationBytesEach().orElse(SMALLEST_PREPARATION)
                * wishes.preparations().orElse(1);
        var needed = smallestGuest + smallestCode + smallestPreparation;
        if (rest < needed) {
            throw tooSmall(limitBytes, heapBytes, reserve, smallestGuest, smallestCode, smallestPreparation);
        }
        var spare = rest - needed;
        var preparation = preparation(rest, smallestPreparation, smallestPreparation + spare, processors, wishes);
        var forGuestsAndCode = rest - preparation.total();
        var guest = wishes.guestBytes()
                .orElseGet(() -> Math.max(
                        SMALLEST_GUEST,
                        wishes.codeBytes().isPresent()
                                ? forGuestsAndCode - smallestCode
                                : Math.min((long) (forGuestsAndCode * GUEST_PART), forGuestsAndCode - SMALLEST_CODE)));
        var code = wishes.codeBytes().orElse(forGuestsAndCode - guest);
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

    private static Preparation preparation(long rest, long least, long most, int processors, Wishes wishes) {
        if (wishes.preparationBytesEach().isPresent()) {
            var each = wishes.preparationBytesEach().getAsLong();
            var fitting =
                    Math.clamp(Math.min(most, (long) (rest * PREPARATION_PART)) / each, 1, Math.max(1, processors));
            var count = wishes.preparations().orElse(fitting);
            return new Preparation(each * count, count, each);
        }
        var part = Math.clamp((long) (rest * PREPARATION_PART), least, most);
        var count = wishes.preparations().orElse(Math.clamp(part / LARGEST_PREPARATION, 1, Math.max(1, processors)));
        var total = Math.min(part, count * LARGEST_PREPARATION);
        // A process that waits for the next module is not free; where it would take too much, it is started later.
        var forWork = total / count >= 6 * STANDBY_BYTES ? total - STANDBY_BYTES : total;
        return new Preparation(total, count, forWork / count);
    }

    private static TooSmallException tooSmall(
            long limit, long heap, long reserve, long guest, long code, long preparation) {
        return new TooSmallException(
                ("the memory limit of %s is too small: the Java heap takes %s, the JVM %s, policies %s,"
                                + " compiled modules %s, the preparation of modules %s; together %s. Raise the memory limit of the"
                                + " container, or lower the heap with -Xmx or what flags ask for")
                        .formatted(
                                mib(limit),
                                mib(heap),
                                mib(reserve),
                                mib(guest),
                                mib(code),
                                mib(preparation),
                                mib(heap + reserve + guest + code + preparation)));
    }

    /** Whether a process may wait for the next module while all others work. */
    public boolean allowsStandbyWhileBusy() {
        return preparationBytesEach * preparations + STANDBY_BYTES <= preparationBytes;
    }

    /** One line for the log. */
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
