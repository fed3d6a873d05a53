package io.portcullis.wasm.wasi;

import io.portcullis.wasm.TrapException;
import java.util.List;

/** The three standard streams. */
final class Streams {

    private static final int STDIN = 0;
    private static final int STDOUT = 1;

    /** The maximum number of buffers in one write. Only a malicious guest needs more. */
    private static final long MAX_BUFFERS = 1024;

    private static final int RANDOM_CHUNK = 64 << 10;
    private static final long RIGHT_TO_READ = 1 << 1;
    private static final long RIGHT_TO_WRITE = 1 << 6;
    private static final int FLAG_APPEND = 1;

    private Streams() {}

    static long read(Wasi.Call call, long[] arguments) {
        var memory = call.memory();
        var buffers = arguments[2];
        if (arguments[0] != STDIN || !call.context().isOpen(STDIN)) {
            return Errno.BADF;
        }
        if (buffers > MAX_BUFFERS) {
            return Errno.INVAL;
        }
        var total = 0L;
        for (var index = 0L; index < buffers; index++) {
            var buffer = Buffer.at(call, arguments[1], index);
            var filled = 0L;
            while (filled < buffer.length) {
                var target = buffer.address + filled;
                var read = call.context()
                        .stdin()
                        .read(
                                buffer.length - filled,
                                (bytes, offset, length) -> memory.write(target, bytes, offset, length));
                if (read == 0) {
                    break;
                }
                filled += read;
            }
            total += filled;
        }
        memory.writeInt(arguments[3], (int) total);
        return Errno.SUCCESS;
    }

    static long write(Wasi.Call call, long[] arguments) {
        var descriptor = arguments[0];
        var buffers = arguments[2];
        if (!call.context().isOpen(descriptor) || descriptor == STDIN) {
            return Errno.BADF;
        }
        if (buffers > MAX_BUFFERS) {
            return Errno.INVAL;
        }
        var output =
                descriptor == STDOUT ? call.context().stdout() : call.context().stderr();
        var total = 0L;
        for (var index = 0L; index < buffers; index++) {
            var buffer = Buffer.at(call, arguments[1], index);
            checkRange(call, buffer);
            var kept = Math.min(buffer.length, output.room());
            output.append(call.memory().read(buffer.address, kept));
            if (kept < buffer.length) {
                output.markTruncated();
            }
            total += buffer.length;
        }
        call.memory().writeInt(arguments[3], (int) total);
        return Errno.SUCCESS;
    }

    static long close(Wasi.Call call, long[] arguments) {
        if (!call.context().isOpen(arguments[0])) {
            return Errno.BADF;
        }
        call.context().closeStream(arguments[0]);
        return Errno.SUCCESS;
    }

    /** {@code fdstat}: type, flags, rights, inherited rights. */
    static long status(Wasi.Call call, long[] arguments) {
        var descriptor = arguments[0];
        if (!call.context().isOpen(descriptor)) {
            return Errno.BADF;
        }
        var input = descriptor == STDIN;
        call.memory().writeInt(arguments[1], input ? 0 : FLAG_APPEND << 16);
        call.memory().writeInt(arguments[1] + 4, 0);
        call.memory().writeLong(arguments[1] + 8, input ? RIGHT_TO_READ : RIGHT_TO_WRITE);
        call.memory().writeLong(arguments[1] + 16, 0);
        return Errno.SUCCESS;
    }

    /** {@code filestat}: all zeros, which is an unknown file type. */
    static long fileStatus(Wasi.Call call, long[] arguments, int size) {
        if (!call.context().isOpen(arguments[0])) {
            return Errno.BADF;
        }
        call.memory().write(arguments[1], new byte[size]);
        return Errno.SUCCESS;
    }

    static long seek(Wasi.Call call, long[] arguments) {
        var seekable =
                call.context().isOpen(arguments[0]) && call.context().streams() == WasiContext.Streams.CHARACTERS;
        return seekable ? Errno.SPIPE : Errno.BADF;
    }

    static long renumber(Wasi.Call call, long[] arguments) {
        var open = call.context().isOpen(arguments[0]) && call.context().isOpen(arguments[1]);
        return open ? Errno.NOTSUP : Errno.BADF;
    }

    static long random(Wasi.Call call, long[] arguments) {
        var left = arguments[1];
        checkRange(call, new Buffer(arguments[0], left));
        var address = arguments[0];
        while (left > 0) {
            var chunk = new byte[(int) Math.min(left, RANDOM_CHUNK)];
            call.context().random().nextBytes(chunk);
            call.memory().write(address, chunk);
            address += chunk.length;
            left -= chunk.length;
            if (call.instance().deadline().hasPassed()) {
                break; // the engine ends the guest when this call returns
            }
        }
        return Errno.SUCCESS;
    }

    private static void checkRange(Wasi.Call call, Buffer buffer) {
        if (buffer.address + buffer.length > call.memory().size()) {
            throw new TrapException(
                    TrapException.Kind.OUT_OF_BOUNDS,
                    "out of bounds memory access: %d bytes at %d".formatted(buffer.length, buffer.address),
                    List.of(),
                    null);
        }
    }

    /** An {@code iovec}. */
    private record Buffer(long address, long length) {

        static Buffer at(Wasi.Call call, long list, long index) {
            var entry = list + index * 8;
            return new Buffer(
                    Integer.toUnsignedLong(call.memory().readInt(entry)),
                    Integer.toUnsignedLong(call.memory().readInt(entry + 4)));
        }
    }
}
