package io.portcullis.wasm.wasi;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The WASI environment of one instance: arguments, environment and streams. Confined to the guest's thread. */
public final class WasiContext {

    /** The kind of a guest's standard streams, which decides the errors of seek and poll. */
    public enum Streams {
        /** Streams of a process without a terminal, for waPC guests. */
        CHARACTERS,
        /** In-memory pipes: the streams of WASI command policies. */
        PIPES
    }

    /** Enough for the log lines of a policy. */
    public static final int DEFAULT_OUTPUT_LIMIT = 64 << 10;

    private static final RandomGenerator SECURE = new SecureRandom();

    private final Streams streams;
    private final List<byte[]> arguments;
    private final List<byte[]> environment;
    private final StandardInput stdin = new StandardInput();
    private final CapturedOutput stdout;
    private final CapturedOutput stderr;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final boolean[] closed = new boolean[3];

    private WasiContext(Builder builder) {
        this.streams = builder.streams;
        this.arguments = builder.arguments.stream().map(WasiContext::terminated).toList();
        this.environment = builder.environment.entrySet().stream()
                .map(entry -> terminated(entry.getKey() + "=" + entry.getValue()))
                .toList();
        this.stdout = new CapturedOutput(builder.stdoutLimit);
        this.stderr = new CapturedOutput(builder.stderrLimit);
        this.clock = builder.clock;
        this.random = builder.random;
    }

    /** No arguments, empty environment, end of file on input, outputs captured; for waPC guests. */
    public static WasiContext minimal() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    public StandardInput stdin() {
        return stdin;
    }

    public CapturedOutput stdout() {
        return stdout;
    }

    public CapturedOutput stderr() {
        return stderr;
    }

    Streams streams() {
        return streams;
    }

    /** Returns the arguments, zero-terminated as WASI requires. */
    List<byte[]> arguments() {
        return arguments;
    }

    /** Zero-terminated {@code NAME=value}. */
    List<byte[]> environment() {
        return environment;
    }

    InstantSource clock() {
        return clock;
    }

    RandomGenerator random() {
        return random;
    }

    boolean isOpen(long descriptor) {
        return descriptor >= 0 && descriptor < closed.length && !closed[(int) descriptor];
    }

    void closeStream(long descriptor) {
        closed[(int) descriptor] = true;
    }

    private static byte[] terminated(String text) {
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** Starts from {@link #minimal}. */
    public static final class Builder {
        private Streams streams = Streams.CHARACTERS;
        private List<String> arguments = List.of();
        private Map<String, String> environment = Map.of();
        private int stdoutLimit = DEFAULT_OUTPUT_LIMIT;
        private int stderrLimit = DEFAULT_OUTPUT_LIMIT;
        private InstantSource clock = Clock.systemUTC();
        private RandomGenerator random = SECURE;

        private Builder() {}

        public Builder streams(Streams kind) {
            streams = kind;
            return this;
        }

        public Builder arguments(String... values) {
            arguments = List.of(values);
            return this;
        }

        public Builder environment(Map<String, String> values) {
            environment = Map.copyOf(values);
            return this;
        }

        public Builder stdoutLimit(int bytes) {
            stdoutLimit = bytes;
            return this;
        }

        public Builder stderrLimit(int bytes) {
            stderrLimit = bytes;
            return this;
        }

        public Builder clock(InstantSource source) {
            clock = source;
            return this;
        }

        public Builder random(RandomGenerator generator) {
            random = generator;
            return this;
        }

        public WasiContext build() {
            return new WasiContext(this);
        }
    }
}
