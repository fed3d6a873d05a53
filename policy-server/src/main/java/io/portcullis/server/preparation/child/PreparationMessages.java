package io.portcullis.server.preparation.child;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.loading.ModulePreparation.Job;
import io.portcullis.evaluator.loading.ModulePreparation.Trial;
import io.portcullis.evaluator.metadata.ExecutionMode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * The format of the messages between the server and a child process. Both sides read with a limit, and allocate memory for
 * received bytes only, never for a declared length.
 */
public final class PreparationMessages {

    private static final int MAGIC = 0x706f7274;
    private static final int MAX_TEXT = 4096;
    private static final int DIGEST_BYTES = 32;
    private static final byte PREPARED = 1;
    private static final byte REJECTED = 2;

    private PreparationMessages() {}

    /** The child sent something that is not a result, or a result that is larger than allowed. */
    static final class InvalidResultException extends IOException {
        private final boolean isTooLarge;
        private final String text;

        InvalidResultException(String message, boolean isTooLarge) {
            this(message, isTooLarge, "");
        }

        private InvalidResultException(String message, boolean isTooLarge, String text) {
            super(message);
            this.isTooLarge = isTooLarge;
            this.text = text;
        }

        /** Returns the text that the child wrote instead. A JVM that aborts writes the reason to standard output. */
        String text() {
            return text;
        }

        boolean isTooLarge() {
            return isTooLarge;
        }
    }

    public static void writeJob(Job job, OutputStream stream) throws IOException {
        var out = new DataOutputStream(stream);
        out.writeInt(MAGIC);
        out.writeUTF(job.digest());
        out.writeUTF(job.mode().name());
        out.writeUTF(job.fingerprint());
        out.writeBoolean(job.trial().isPresent());
        if (job.trial().isPresent()) {
            var trial = job.trial().get();
            out.writeLong(trial.timeout().toMillis());
            writeBytes(trial.settings(), out);
        }
        writeBytes(job.wasm(), out);
        out.flush();
    }

    /** @throws EOFException when the server closed the pipe instead of sending a job */
    static Job readJob(InputStream stream) throws IOException {
        var in = new DataInputStream(stream);
        if (in.readInt() != MAGIC) {
            throw new IOException("not a preparation job");
        }
        var digest = in.readUTF();
        var mode = ExecutionMode.valueOf(in.readUTF());
        var fingerprint = in.readUTF();
        var trial = in.readBoolean() ? Optional.of(readTrial(in)) : Optional.<Trial>empty();
        return new Job(digest, readBytes(in, Integer.MAX_VALUE - 8), mode, fingerprint, trial);
    }

    private static Trial readTrial(DataInputStream in) throws IOException {
        var timeout = Duration.ofMillis(in.readLong());
        return new Trial(readBytes(in, Integer.MAX_VALUE - 8), timeout);
    }

    static void writeResult(PreparationResult result, OutputStream stream) throws IOException {
        var out = new DataOutputStream(stream);
        out.writeInt(MAGIC);
        switch (result) {
            case PreparationResult.Prepared(var compiled) -> {
                out.writeByte(PREPARED);
                out.write(sha256(compiled));
                writeBytes(compiled, out);
            }
            case PreparationResult.Rejected(var reason, var message) -> {
                out.writeByte(REJECTED);
                out.writeUTF(reason.name());
                out.writeUTF(message.substring(0, Math.min(message.length(), MAX_TEXT)));
            }
        }
        out.flush();
    }

    /**
     * Reads and validates a result. The content is untrusted.
     *
     * @throws InvalidResultException when the result is garbage, damaged or larger than {@code maxCompiled}
     * @throws EOFException when the child ended before its result was complete
     */
    static PreparationResult readResult(InputStream stream, long maxCompiled) throws IOException {
        var in = new DataInputStream(stream);
        if (in.readInt() != MAGIC) {
            var text = new String(in.readNBytes(MAX_TEXT), StandardCharsets.UTF_8);
            throw new InvalidResultException("its answer has no valid header", false, text);
        }
        return switch (in.readByte()) {
            case PREPARED -> {
                var digest = in.readNBytes(DIGEST_BYTES);
                var compiled = readBytes(in, maxCompiled);
                if (!Arrays.equals(digest, sha256(compiled))) {
                    throw new InvalidResultException("the compiled module does not match its digest", false);
                }
                yield new PreparationResult.Prepared(compiled);
            }
            case REJECTED -> new PreparationResult.Rejected(reason(in.readUTF()), in.readUTF());
            default -> throw new InvalidResultException("its answer is of an unknown kind", false);
        };
    }

    private static PolicyLoadException.Reason reason(String name) throws InvalidResultException {
        return Arrays.stream(PolicyLoadException.Reason.values())
                .filter(reason -> reason.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new InvalidResultException("its answer has an unknown reason", false));
    }

    private static void writeBytes(byte[] bytes, DataOutputStream out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in, long max) throws IOException {
        var length = in.readInt();
        if (length < 0) {
            throw new InvalidResultException("its answer declares a negative length", false);
        }
        if (length > max) {
            throw new InvalidResultException("the compiled module has " + length + " bytes", true);
        }
        var bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the message ends after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
