package io.portcullis.wasm.wasi;

/** Real time and monotonic time. The processor-time clocks do not exist here. */
final class Clocks {

    static final int REALTIME = 0;
    static final int MONOTONIC = 1;
    private static final int LAST_CLOCK = 3;
    private static final long RESOLUTION_NANOS = 1;

    /** Guests expect a monotonic clock that is never negative. */
    private static final long ORIGIN = System.nanoTime() - 1;

    private Clocks() {}

    static long resolution(Wasi.Call call, long[] arguments) {
        if (!exists(arguments[0])) {
            return missing(arguments[0]);
        }
        call.memory().writeLong(arguments[1], RESOLUTION_NANOS);
        return Errno.SUCCESS;
    }

    static long time(Wasi.Call call, long[] arguments) {
        if (!exists(arguments[0])) {
            return missing(arguments[0]);
        }
        call.memory().writeLong(arguments[2], now(call.context(), (int) arguments[0]));
        return Errno.SUCCESS;
    }

    static boolean exists(long clock) {
        return clock == REALTIME || clock == MONOTONIC;
    }

    static long now(WasiContext context, int clock) {
        if (clock == MONOTONIC) {
            return System.nanoTime() - ORIGIN;
        }
        var instant = context.clock().instant();
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    private static long missing(long clock) {
        return clock <= LAST_CLOCK ? Errno.BADF : Errno.INVAL;
    }
}
