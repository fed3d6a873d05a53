package io.portcullis.server.settings;

import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.cli.UsageException;
import io.portcullis.process.http.ListenerLimits;
import io.portcullis.process.logging.LogFormat;
import io.portcullis.process.tls.TlsFiles;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.slf4j.event.Level;

/** The validated settings of a server. */
public record ServerSettings(
        Listen listen,
        Evaluation evaluation,
        Sources sources,
        Observability observability,
        Lifetime lifetime,
        Memory memory,
        Optional<Background> background,
        Optional<ClusterSettings> cluster) {

    private static final long DEFAULT_TOTAL_BODY_BYTES = 32L << 20;
    private static final long MIN_INSTANCE_MEMORY = 1L << 20;
    private static final String ALLOW_NETWORKS =
            "policies reach public addresses only; the operator of this policy server can allow others with "
                    + ServerFlags.HOST_CALL_ALLOWED_NETWORKS.name();

    /** The address and ports of the server, and the limits for its clients. */
    public record Listen(
            InetAddress address, int port, int readinessPort, Optional<TlsFiles> tls, ListenerLimits clients) {}

    /** The limits for requests. Without a timeout, policies without their own timeout may run forever. */
    public record Evaluation(
            int workers,
            Optional<Duration> timeout,
            int queueSize,
            int policyQueueSize,
            Duration queueTimeout,
            long maxBodyBytes,
            long policyLogBytesPerMinute,
            long maxTotalBodyBytes,
            Optional<String> acceptedNamespace,
            boolean groupMemberWarnings) {}

    /** The sources of policies, modules and signatures. */
    public record Sources(
            Path policies,
            Path downloadDirectory,
            Optional<Path> sources,
            Optional<Path> dockerConfig,
            Optional<Path> verification,
            Sigstore sigstore,
            FetchLimits limits,
            AllowedNetworks hostCallNetworks) {}

    /**
     * The limits for fetching a module.
     *
     * @param timeout the time for one request, including redirects and body
     */
    public record FetchLimits(long maxModuleBytes, Duration timeout) {}

    /** The source of the trust root for keyless signatures. */
    public record Sigstore(Path cacheDirectory, Optional<Path> trustConfig) {}

    /** Logging, metrics, traces and profiles. */
    public record Observability(
            Level logLevel,
            LogFormat logFormat,
            boolean colours,
            boolean pushMetrics,
            boolean exportTraces,
            boolean profiling) {}

    /** The behaviour at start and shutdown. */
    public record Lifetime(boolean failFast, Duration drainLag, Duration drainTimeout) {}

    /** The operator's limits for parts of the memory, and the limits for the preparation of modules. */
    public record Memory(
            OptionalLong limit,
            OptionalLong guests,
            long instance,
            OptionalLong hostFunctions,
            OptionalLong compiledCode,
            OptionalLong preparation,
            Duration preparationTimeout,
            OptionalInt preparations) {}

    /** The files of a server that runs in the background. */
    public record Background(Path pidFile, Optional<Path> stdout, Optional<Path> stderr) {}

    /** @throws UsageException when the arguments contradict each other */
    public static ServerSettings from(Arguments arguments, Map<String, String> environment, boolean isTerminal) {
        return new ServerSettings(
                new Listen(
                        arguments.get(ServerFlags.ADDR),
                        arguments.get(ServerFlags.PORT),
                        arguments.get(ServerFlags.READINESS_PORT),
                        tls(arguments),
                        clients(arguments)),
                evaluation(arguments),
                new Sources(
                        arguments.get(ServerFlags.POLICIES),
                        arguments.get(ServerFlags.DOWNLOAD_DIR),
                        arguments.find(ServerFlags.SOURCES),
                        arguments.find(ServerFlags.DOCKER_CONFIG),
                        arguments.find(ServerFlags.VERIFICATION),
                        new Sigstore(
                                arguments.get(ServerFlags.SIGSTORE_CACHE_DIR),
                                arguments.find(ServerFlags.SIGSTORE_TRUST_CONFIG)),
                        new FetchLimits(
                                arguments.get(ServerFlags.MAX_MODULE_BYTES),
                                arguments.get(ServerFlags.MODULE_FETCH_TIMEOUT)),
                        hostCallNetworks(arguments)),
                observability(arguments, environment, isTerminal),
                new Lifetime(
                        arguments.get(ServerFlags.FAIL_FAST),
                        arguments.get(ServerFlags.DRAIN_LAG),
                        arguments.get(ServerFlags.DRAIN_TIMEOUT)),
                memory(arguments),
                background(arguments),
                ClusterSettings.from(arguments));
    }

    /** Restricts host calls in a cluster, because tenants write those policies. The operator writes a policies file. */
    private static AllowedNetworks hostCallNetworks(Arguments arguments) {
        var listed = arguments.find(ServerFlags.HOST_CALL_ALLOWED_NETWORKS);
        if (listed.isEmpty() && ClusterSettings.from(arguments).isEmpty()) {
            return AllowedNetworks.EVERYTHING;
        }
        try {
            return AllowedNetworks.publicAnd(listed.orElse(List.of()), ALLOW_NETWORKS);
        } catch (IllegalArgumentException e) {
            throw new UsageException(ServerFlags.HOST_CALL_ALLOWED_NETWORKS.name() + ": " + e.getMessage());
        }
    }

    private static Optional<TlsFiles> tls(Arguments arguments) {
        var certificate = arguments.find(ServerFlags.CERT_FILE);
        var key = arguments.find(ServerFlags.KEY_FILE);
        var authorities = arguments.find(ServerFlags.CLIENT_CA_FILE).stream()
                .flatMap(text -> Arrays.stream(text.split(",")))
                .filter(text -> !text.isBlank())
                .map(text -> Path.of(text.strip()))
                .toList();
        if (certificate.isPresent() != key.isPresent()) {
            throw new UsageException("both certificate and key must be provided together");
        }
        if (certificate.isEmpty() && !authorities.isEmpty()) {
            throw new UsageException("client CA certificate requires server certificate and key to be specified");
        }
        return certificate.map(file -> new TlsFiles(file, key.orElseThrow(), authorities));
    }

    private static ListenerLimits clients(Arguments arguments) {
        return new ListenerLimits(
                arguments.get(ServerFlags.MAX_CONNECTIONS),
                arguments.get(ServerFlags.MAX_STREAMS),
                arguments.get(ServerFlags.MAX_HEADER_BYTES),
                arguments.get(ServerFlags.HEADER_TIMEOUT),
                arguments.get(ServerFlags.BODY_TIMEOUT),
                arguments.get(ServerFlags.IDLE_TIMEOUT));
    }

    /** Must be at least twice the largest body, because a body is copied while it grows. */
    private static long maxTotalBodyBytes(Arguments arguments) {
        var least = 2 * arguments.get(ServerFlags.MAX_BODY_BYTES);
        var total = arguments.find(ServerFlags.MAX_TOTAL_BODY_BYTES).orElse(Math.max(least, DEFAULT_TOTAL_BODY_BYTES));
        if (total < least) {
            throw new UsageException("--max-total-body-bytes must be at least twice --max-body-bytes: " + least);
        }
        return total;
    }

    private static Evaluation evaluation(Arguments arguments) {
        var timeout = Duration.ofSeconds(arguments.get(ServerFlags.POLICY_TIMEOUT));
        return new Evaluation(
                arguments.find(ServerFlags.WORKERS).orElse(Runtime.getRuntime().availableProcessors()),
                arguments.get(ServerFlags.DISABLE_TIMEOUT) ? Optional.empty() : Optional.of(timeout),
                arguments.get(ServerFlags.QUEUE_SIZE),
                arguments.get(ServerFlags.POLICY_QUEUE_SIZE),
                arguments.get(ServerFlags.QUEUE_TIMEOUT),
                arguments.get(ServerFlags.MAX_BODY_BYTES),
                arguments.get(ServerFlags.POLICY_LOG_BYTES),
                maxTotalBodyBytes(arguments),
                arguments.find(ServerFlags.ACCEPTED_NAMESPACE),
                !arguments.get(ServerFlags.DISABLE_GROUP_MEMBER_WARNINGS));
    }

    private static Observability observability(
            Arguments arguments, Map<String, String> environment, boolean isTerminal) {
        var format = arguments.get(ServerFlags.LOG_FORMAT);
        var colourless = arguments.get(ServerFlags.LOG_NO_COLOR)
                || !environment.getOrDefault("NO_COLOR", "").isEmpty();
        return new Observability(
                Level.valueOf(arguments.get(ServerFlags.LOG_LEVEL).toUpperCase(Locale.ROOT)),
                format.equals("json") ? LogFormat.JSON : LogFormat.TEXT,
                isTerminal && !colourless,
                arguments.get(ServerFlags.ENABLE_METRICS),
                format.equals("otlp") || isJaeger(arguments),
                arguments.get(ServerFlags.ENABLE_PPROF));
    }

    /** Whether the log format is the one of releases that sent traces to Jaeger. OTLP replaces it. */
    private static boolean isJaeger(Arguments arguments) {
        return arguments.get(ServerFlags.LOG_FORMAT).equals("jaeger");
    }

    private static Memory memory(Arguments arguments) {
        var timeout = arguments.get(ServerFlags.PREPARATION_TIMEOUT);
        if (timeout.toSeconds() < 1) {
            throw new UsageException("--preparation-timeout must be at least 1s");
        }
        return new Memory(
                size(arguments, ServerFlags.MEMORY_LIMIT),
                size(arguments, ServerFlags.GUEST_MEMORY),
                instanceMemory(arguments),
                size(arguments, ServerFlags.HOST_FUNCTION_MEMORY),
                size(arguments, ServerFlags.COMPILED_CODE_MEMORY),
                size(arguments, ServerFlags.PREPARATION_MEMORY),
                timeout,
                arguments.find(ServerFlags.PREPARATIONS).map(OptionalInt::of).orElse(OptionalInt.empty()));
    }

    private static long instanceMemory(Arguments arguments) {
        var bytes = arguments.get(ServerFlags.INSTANCE_MEMORY);
        if (bytes < MIN_INSTANCE_MEMORY) {
            throw new UsageException("--instance-memory must be at least 1Mi");
        }
        return bytes;
    }

    private static OptionalLong size(Arguments arguments, Flag<Long> flag) {
        return arguments.find(flag).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private static Optional<Background> background(Arguments arguments) {
        if (!arguments.get(ServerFlags.DAEMON)) {
            return Optional.empty();
        }
        return Optional.of(new Background(
                arguments.get(ServerFlags.DAEMON_PID_FILE),
                arguments.find(ServerFlags.DAEMON_STDOUT_FILE),
                arguments.find(ServerFlags.DAEMON_STDERR_FILE)));
    }

    /** Returns log lines about flags that the server ignores, and about deprecated values. */
    public static List<String> warnings(Arguments arguments) {
        var warnings = new ArrayList<String>();
        if (arguments.get(ServerFlags.IGNORE_KUBERNETES)) {
            warnings.add(
                    "--ignore-kubernetes-connection-failure: this server always starts; only policies that ask for cluster data fail");
        }
        if (isJaeger(arguments)) {
            warnings.add("--log-fmt jaeger is deprecated: traces are exported by OTLP; use otlp");
        }
        return List.copyOf(warnings);
    }
}
