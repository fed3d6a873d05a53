package io.portcullis.wasm.wasi;

import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.Memory;
import io.portcullis.wasm.TrapException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Implements {@code poll_oneoff}: sleeps, but never past the deadline, and polls streams, which are always ready. */
enum Polling implements Wasi.Body {
    /** The older layout has one more field before the clock's number. */
    PREVIEW0(56, 24),
    PREVIEW1(48, 16);

    private static final long MAX_SUBSCRIPTIONS = 1024;
    private static final int EVENT_SIZE = 32;
    private static final int CLOCK = 0;
    private static final int LAST_TYPE = 2;
    private static final int ABSOLUTE = 1;

    private final long size;
    private final long clockOffset;

    Polling(long size, long clockOffset) {
        this.size = size;
        this.clockOffset = clockOffset;
    }

    /** One subscription; {@code nanos} until a clock event, 0 for streams. */
    private record Subscription(long userData, int type, long nanos, long error) {}

    @Override
    public long call(Wasi.Call call, long[] arguments) {
        var count = arguments[2];
        if (count == 0 || count > MAX_SUBSCRIPTIONS) {
            return Errno.INVAL;
        }
        var subscriptions = new ArrayList<Subscription>();
        for (var index = 0L; index < count; index++) {
            var subscription = read(call, arguments[0] + index * size);
            if (subscription.type > LAST_TYPE
                    || (subscription.type != CLOCK && call.context().streams() == WasiContext.Streams.PIPES)) {
                return Errno.INVAL;
            }
            subscriptions.add(subscription);
        }
        var wait = subscriptions.stream().mapToLong(Subscription::nanos).min().orElse(0);
        sleep(call, wait);
        var due = subscriptions.stream()
                .filter(subscription -> subscription.nanos <= wait)
                .toList();
        writeEvents(call.memory(), arguments[1], due);
        call.memory().writeInt(arguments[3], due.size());
        return Errno.SUCCESS;
    }

    private Subscription read(Wasi.Call call, long address) {
        var memory = call.memory();
        var userData = readLong(memory, address);
        var type = memory.readInt(address + 8) & 0xff;
        if (type != CLOCK) {
            return new Subscription(userData, type, 0, Errno.SUCCESS);
        }
        var clock = memory.readInt(address + clockOffset);
        if (!Clocks.exists(clock)) {
            return new Subscription(userData, type, 0, Errno.INVAL);
        }
        var timeout = readLong(memory, address + clockOffset + 8);
        var flags = memory.readInt(address + clockOffset + 24) & 0xffff;
        var wait = (flags & ABSOLUTE) == 0 ? timeout : timeout - Clocks.now(call.context(), clock);
        if ((flags & ABSOLUTE) == 0 && timeout < 0) {
            wait = Long.MAX_VALUE; // an unsigned number of nanoseconds beyond 292 years
        }
        return new Subscription(userData, type, Math.max(0, wait), Errno.SUCCESS);
    }

    private static void sleep(Wasi.Call call, long nanos) {
        var deadline = call.instance().deadline();
        var time = Math.min(nanos, deadline.remaining().toNanos());
        try {
            Thread.sleep(Duration.ofNanos(time));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw deadline.hasPassed()
                    ? new DeadlineExceededException()
                    : TrapException.byHost("interrupted while sleeping in poll_oneoff");
        }
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }

    private static void writeEvents(Memory memory, long address, List<Subscription> due) {
        var event = address;
        for (var subscription : due) {
            memory.write(event, new byte[EVENT_SIZE]);
            memory.writeLong(event, subscription.userData);
            memory.writeInt(event + 8, (int) subscription.error | subscription.type << 16);
            event += EVENT_SIZE;
        }
    }

    private static long readLong(Memory memory, long address) {
        return Integer.toUnsignedLong(memory.readInt(address)) | (long) memory.readInt(address + 4) << 32;
    }
}
