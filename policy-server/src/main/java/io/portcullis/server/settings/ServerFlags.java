package io.portcullis.server.settings;

import io.portcullis.artifacts.http.HttpLimits;
import io.portcullis.artifacts.wasm.WasmModule;
import io.portcullis.process.cli.Flag;
import io.portcullis.process.http.ListenerLimits;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** All flags of the server. The first block has the same names as upstream; the second block is ours. */
public final class ServerFlags {

    static final Flag<InetAddress> ADDR = Flag.address(
                    "--addr", "KUBEWARDEN_BIND_ADDRESS", "Address that both ports listen on.")
            .withDefault("0.0.0.0");
    static final Flag<Integer> PORT = Flag.number("--port", "KUBEWARDEN_PORT", 0, 65535, "Port of the API.")
            .withDefault("3000");
    static final Flag<Integer> READINESS_PORT = Flag.number(
                    "--readiness-probe-port",
                    "KUBEWARDEN_READINESS_PROBE_PORT",
                    0,
                    65535,
                    "Port of /readiness, /liveness and /metrics; always plain HTTP.")
            .withDefault("8081");
    static final Flag<Integer> WORKERS = Flag.number(
            "--workers", "KUBEWARDEN_WORKERS", 1, 1024, "Evaluations at once; by default as many as there are CPUs.");
    static final Flag<Path> CERT_FILE = Flag.path(
            "--cert-file", "KUBEWARDEN_CERT_FILE", "Certificate in PEM, may be a chain; reloaded when it changes.");
    static final Flag<Path> KEY_FILE =
            Flag.path("--key-file", "KUBEWARDEN_KEY_FILE", "Private key in PEM (PKCS#8, PKCS#1 or SEC 1).");
    static final Flag<String> CLIENT_CA_FILE = Flag.text(
            "--client-ca-file",
            "KUBEWARDEN_CLIENT_CA_FILE",
            "PATH[,PATH…]",
            "Authorities of client certificates; turns on mTLS.");
    static final Flag<Path> POLICIES = Flag.path(
                    "--policies", "KUBEWARDEN_POLICIES", "The policies to serve; followed when it changes.")
            .withDefault("policies.yml");
    static final Flag<Path> DOWNLOAD_DIR = Flag.path(
                    "--policies-download-dir",
                    "KUBEWARDEN_POLICIES_DOWNLOAD_DIR",
                    "Where modules are stored, also in compiled form.")
            .withDefault(".");
    static final Flag<Path> SIGSTORE_CACHE_DIR = Flag.path(
                    "--sigstore-cache-dir", "KUBEWARDEN_SIGSTORE_CACHE_DIR", "Where Sigstore trust data is kept.")
            .withDefault("sigstore-data");
    static final Flag<Path> SIGSTORE_TRUST_CONFIG = Flag.path(
            "--sigstore-trust-config",
            "KUBEWARDEN_SIGSTORE_TRUST_CONFIG_PATH",
            "Sigstore ClientTrustConfig JSON instead of the public instance's.");
    static final Flag<Path> SOURCES = Flag.path(
            "--sources-path", "KUBEWARDEN_SOURCES_PATH", "sources.yml: insecure registries, authorities, proxies.");
    static final Flag<Path> VERIFICATION = Flag.path(
            "--verification-path",
            "KUBEWARDEN_VERIFICATION_CONFIG_PATH",
            "Which signatures modules must have; turns on verification.");
    static final Flag<String> UNVERIFIED_POLICIES = Flag.choice(
                    "--unverified-policies",
                    "KUBEWARDEN_UNVERIFIED_POLICIES",
                    List.of("keep", "fail"),
                    "In a cluster: whether policies stay enforced whose signatures a stricter verification config no longer accepts.")
            .withDefault("keep");
    static final Flag<Path> DOCKER_CONFIG = Flag.path(
            "--docker-config-json-path",
            "KUBEWARDEN_DOCKER_CONFIG_JSON_PATH",
            "Directory that holds a docker config.json.");
    static final Flag<Boolean> ENABLE_METRICS =
            Flag.onOff("--enable-metrics", "KUBEWARDEN_ENABLE_METRICS", "Push metrics by OTLP; see OTEL_* variables.");
    static final Flag<String> ACCEPTED_NAMESPACE = Flag.text(
            "--always-accept-admission-reviews-on-namespace",
            "KUBEWARDEN_ALWAYS_ACCEPT_ADMISSION_REVIEWS_ON_NAMESPACE",
            "NAMESPACE",
            "Requests in this namespace are accepted without evaluation.");
    static final Flag<Boolean> DISABLE_TIMEOUT = Flag.onOff(
            "--disable-timeout-protection",
            "KUBEWARDEN_DISABLE_TIMEOUT_PROTECTION",
            "Policies without a timeout of their own may run for ever.");
    static final Flag<Integer> POLICY_TIMEOUT = Flag.number(
                    "--policy-timeout",
                    "KUBEWARDEN_POLICY_TIMEOUT",
                    0,
                    Integer.MAX_VALUE,
                    "Seconds that an evaluation may take.")
            .withDefault("2");
    static final Flag<Boolean> IGNORE_KUBERNETES = Flag.onOff(
            "--ignore-kubernetes-connection-failure",
            "KUBEWARDEN_IGNORE_KUBERNETES_CONNECTION_FAILURE",
            "Accepted for compatibility: a cluster that cannot be reached never stops this server.");
    static final Flag<Boolean> ENABLE_PPROF = Flag.onOff(
            "--enable-pprof",
            "KUBEWARDEN_ENABLE_PPROF",
            "Serve /debug/pprof/cpu (a JFR recording) and /debug/pprof/heap (a heap dump).");
    static final Flag<Boolean> CONTINUE_ON_ERRORS = Flag.onOff(
                    "--continue-on-errors",
                    "KUBEWARDEN_CONTINUE_ON_ERRORS",
                    "Accepted for compatibility: this server always goes on.")
            .hidden();
    static final Flag<String> LOG_LEVEL = Flag.choice(
                    "--log-level",
                    "KUBEWARDEN_LOG_LEVEL",
                    List.of("trace", "debug", "info", "warn", "error"),
                    "Least level that is logged.")
            .withDefault("info");
    static final Flag<String> LOG_FORMAT = Flag.choice(
                    "--log-fmt",
                    "KUBEWARDEN_LOG_FMT",
                    List.of("text", "json", "otlp", "jaeger"),
                    "Shape of log lines; otlp means text, and traces exported by OTLP. jaeger is deprecated and means otlp.")
            .withDefault("text");
    static final Flag<Boolean> LOG_NO_COLOR = Flag.onOff(
            "--log-no-color", "", "No colours, even on a terminal; so does any NO_COLOR in the environment.");
    static final Flag<Boolean> DAEMON = Flag.onOff("--daemon", "KUBEWARDEN_DAEMON", "Run in the background.");
    static final Flag<Path> DAEMON_PID_FILE = Flag.path(
                    "--daemon-pid-file", "KUBEWARDEN_DAEMON_PID_FILE", "Where the process id of the daemon is written.")
            .withDefault("policy-server.pid");
    static final Flag<Path> DAEMON_STDOUT_FILE = Flag.path(
            "--daemon-stdout-file", "KUBEWARDEN_DAEMON_STDOUT_FILE", "Where the daemon's standard output goes.");
    static final Flag<Path> DAEMON_STDERR_FILE = Flag.path(
            "--daemon-stderr-file", "KUBEWARDEN_DAEMON_STDERR_FILE", "Where the daemon's standard error goes.");

    static final Flag<Boolean> STANDALONE = Flag.onOff(
            "--standalone",
            "KUBEWARDEN_STANDALONE",
            "Serve the policies file. The default, unless the controller names a PolicyServer whose revisions are served.");
    static final Flag<String> POLICY_SERVER_NAME = Flag.text(
            "--policy-server-name",
            "KUBEWARDEN_POLICY_SERVER_NAME",
            "NAME",
            "In a cluster: the PolicyServer that this is a replica of; serves its revisions.");
    static final Flag<String> NAMESPACE = Flag.text(
            "--namespace",
            "KUBEWARDEN_NAMESPACE",
            "NAMESPACE",
            "In a cluster: where policy revisions and the leader's lease live.");
    static final Flag<String> POD_NAME =
            Flag.text("--pod-name", "POD_NAME", "NAME", "In a cluster: the name of this pod.");
    static final Flag<String> POD_UID =
            Flag.text("--pod-uid", "POD_UID", "UID", "In a cluster: the UID of this pod; stands in its reports.");
    static final Flag<Integer> REPLICA = Flag.number(
            "--replica",
            "KUBEWARDEN_REPLICA",
            0,
            100_000,
            "In a cluster: the ordinal of this replica; by default the end of the pod's name.");
    static final Flag<Path> CACHE_DIR = Flag.path(
            "--cache-dir",
            "KUBEWARDEN_CACHE_DIR",
            "In a cluster: modules and their compiled form, signed; all replicas may share it.");
    static final Flag<Path> CACHE_SIGNER_CERT = Flag.path(
            "--cache-signer-cert",
            "KUBEWARDEN_CACHE_SIGNER_CERT",
            "In a cluster: certificate in PEM with which the cache is signed; read at every use.");
    static final Flag<Path> CACHE_SIGNER_KEY = Flag.path(
            "--cache-signer-key",
            "KUBEWARDEN_CACHE_SIGNER_KEY",
            "In a cluster: the key of that certificate, EC P-256 in PEM.");
    static final Flag<Path> CACHE_CA = Flag.path(
            "--cache-ca",
            "KUBEWARDEN_CACHE_CA",
            "In a cluster: directory with ca.crt and, during a rotation, old-ca.crt: whose signatures count.");
    static final Flag<String> NAMESPACED_CAPABILITIES = Flag.text(
                    "--namespaced-policies-capabilities",
                    "KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES",
                    "JSON",
                    "In a cluster: list of host capabilities that policies of a namespace may use.")
            .withDefault("[]");
    static final Flag<Path> EVIDENCE_TOKEN_FILE = Flag.path(
            "--evidence-token-file",
            "KUBEWARDEN_EVIDENCE_TOKEN_FILE",
            "In a cluster: the bearer token for GET /served; without it that path is not there.");
    static final Flag<Boolean> DISABLE_GROUP_MEMBER_WARNINGS = Flag.onOff(
            "--disable-group-member-warnings",
            "KUBEWARDEN_DISABLE_GROUP_MEMBER_WARNINGS",
            "Rejections of groups have no warnings about the results of members; causes stay.");
    static final Flag<Boolean> FAIL_FAST =
            Flag.onOff("--fail-fast", "KUBEWARDEN_FAIL_FAST", "Exit when a policy cannot be loaded at start.");
    static final Flag<Long> MAX_BODY_BYTES = Flag.bytes(
                    "--max-body-bytes", "KUBEWARDEN_MAX_BODY_BYTES", "Largest request body; larger ones get 413.")
            .withDefault(Integer.toString(8 << 20));
    static final Flag<Long> MAX_TOTAL_BODY_BYTES = Flag.bytes(
            "--max-total-body-bytes",
            "KUBEWARDEN_MAX_TOTAL_BODY_BYTES",
            "Memory for the bodies of all requests together; more get 503. By default 33554432, or twice --max-body-bytes if that is more.");
    static final Flag<Integer> MAX_CONNECTIONS = Flag.number(
                    "--max-connections",
                    "KUBEWARDEN_MAX_CONNECTIONS",
                    1,
                    1_000_000,
                    "Connections that may be open; the heap and the limit of open files lower it. More get 503, or displace connections that wait for their client.")
            .withDefault(Integer.toString(ListenerLimits.DEFAULT.maxConnections()));
    static final Flag<Integer> MAX_STREAMS = Flag.number(
                    "--max-streams-per-connection",
                    "KUBEWARDEN_MAX_STREAMS_PER_CONNECTION",
                    1,
                    100_000,
                    "Requests at the same time on one HTTP/2 connection; more end the connection.")
            .withDefault(Integer.toString(ListenerLimits.DEFAULT.maxStreams()));
    static final Flag<Integer> MAX_HEADER_BYTES = Flag.number(
                    "--max-header-bytes",
                    "KUBEWARDEN_MAX_HEADER_BYTES",
                    1024,
                    1 << 20,
                    "Largest headers of a request; larger ones get 400.")
            .withDefault(Integer.toString(ListenerLimits.DEFAULT.maxHeaderBytes()));
    static final Flag<Duration> HEADER_TIMEOUT = Flag.duration(
                    "--header-timeout",
                    "KUBEWARDEN_HEADER_TIMEOUT",
                    "How long a client may take for the TLS handshake and the headers of a request; then it gets 408.")
            .withDefault("10s");
    static final Flag<Duration> BODY_TIMEOUT = Flag.duration(
                    "--body-timeout",
                    "KUBEWARDEN_BODY_TIMEOUT",
                    "How long a client may take to send a body, or to read a response; then it gets 408, or is cut off.")
            .withDefault("10s");
    static final Flag<Duration> IDLE_TIMEOUT = Flag.duration(
                    "--idle-timeout",
                    "KUBEWARDEN_IDLE_TIMEOUT",
                    "How long a connection may stay open without a request.")
            .withDefault("2m");
    static final Flag<Long> MAX_MODULE_BYTES = Flag.bytes(
                    "--max-module-bytes",
                    "KUBEWARDEN_MAX_MODULE_BYTES",
                    "Largest module of a policy; larger ones are not loaded.")
            .withDefault(Long.toString(WasmModule.DEFAULT_LIMIT));
    static final Flag<Duration> MODULE_FETCH_TIMEOUT = Flag.duration(
                    "--module-fetch-timeout",
                    "KUBEWARDEN_MODULE_FETCH_TIMEOUT",
                    "Longest that one request for a module may take, redirects and body included.")
            .withDefault(HttpLimits.DEFAULT.total().toMinutes() + "m");
    static final Flag<List<String>> HOST_CALL_ALLOWED_NETWORKS = Flag.list(
            "--host-call-allowed-networks",
            "KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS",
            "CIDR|IP|HOST",
            "Private addresses that policies may reach through oci/* and net/* host calls, in addition to public ones; * allows all. By default none in a cluster, all with --standalone.");
    static final Flag<Integer> QUEUE_SIZE = Flag.number(
                    "--queue-size",
                    "KUBEWARDEN_QUEUE_SIZE",
                    0,
                    1_000_000,
                    "Requests that may wait for a worker; more get 503.")
            .withDefault("1024");
    static final Flag<Integer> POLICY_QUEUE_SIZE = Flag.number(
                    "--policy-queue-size",
                    "KUBEWARDEN_POLICY_QUEUE_SIZE",
                    1,
                    1_000_000,
                    "Requests to one policy that may wait for a worker; more get 503.")
            .withDefault("256");
    static final Flag<Duration> QUEUE_TIMEOUT = Flag.duration(
                    "--queue-timeout",
                    "KUBEWARDEN_QUEUE_TIMEOUT",
                    "How long a request may wait for a worker; then it gets 503.")
            .withDefault("2s");
    static final Flag<Long> POLICY_LOG_BYTES = Flag.bytes(
                    "--policy-log-bytes-per-minute",
                    "KUBEWARDEN_POLICY_LOG_BYTES_PER_MINUTE",
                    "What each policy may write to the log in a minute; more lines are dropped and counted.")
            .withDefault(Integer.toString(64 << 10));
    static final Flag<Duration> DRAIN_LAG = Flag.duration(
                    "--drain-lag",
                    "KUBEWARDEN_DRAIN_LAG",
                    "After SIGTERM: how long to go on serving while load balancers notice that readiness is gone. While"
                            + " requests still come, the server goes on, at most for four times as long.")
            .withDefault("5s");
    static final Flag<Duration> DRAIN_TIMEOUT = Flag.duration(
                    "--drain-timeout",
                    "KUBEWARDEN_DRAIN_TIMEOUT",
                    "After the lag: how long to wait for requests under way.")
            .withDefault("20s");

    static final Flag<Long> MEMORY_LIMIT = Flag.memory(
            "--memory-limit",
            "KUBEWARDEN_MEMORY_LIMIT",
            "Memory that the server divides among its parts; by default the limit of its container, else the memory of"
                    + " the machine.");
    static final Flag<Long> PREPARATION_MEMORY = Flag.memory(
            "--preparation-memory",
            "KUBEWARDEN_PREPARATION_MEMORY",
            "Memory that the preparation of one module may use; by default a part of the memory limit.");
    static final Flag<Duration> PREPARATION_TIMEOUT = Flag.duration(
                    "--preparation-timeout",
                    "KUBEWARDEN_PREPARATION_TIMEOUT",
                    "Time that the preparation of one module may take.")
            .withDefault("25s");
    static final Flag<Integer> PREPARATIONS = Flag.number(
            "--preparations",
            "KUBEWARDEN_PREPARATIONS",
            1,
            256,
            "Modules that are prepared at the same time; by default as many as processors and memory allow.");
    static final Flag<Long> COMPILED_CODE_MEMORY = Flag.memory(
            "--compiled-code-memory",
            "KUBEWARDEN_COMPILED_CODE_MEMORY",
            "Memory for the native code of all modules; by default a part of the memory limit.");
    static final Flag<Long> GUEST_MEMORY = Flag.memory(
            "--guest-memory",
            "KUBEWARDEN_GUEST_MEMORY",
            "Memory for all policies that run at the same time; by default a part of the memory limit.");
    static final Flag<Long> INSTANCE_MEMORY = Flag.memory(
                    "--instance-memory",
                    "KUBEWARDEN_INSTANCE_MEMORY",
                    "Memory that one run of a policy may use; never more than the memory for all policies.")
            .withDefault("256Mi");
    static final Flag<Long> HOST_FUNCTION_MEMORY = Flag.memory(
            "--host-function-memory",
            "KUBEWARDEN_HOST_FUNCTION_MEMORY",
            "Heap for what host functions make of the data of all policies; by default a quarter of the heap.");

    /** All flags, in the order of the reference page. */
    public static final List<Flag<?>> ALL = List.of(
            ADDR,
            PORT,
            READINESS_PORT,
            WORKERS,
            CERT_FILE,
            KEY_FILE,
            CLIENT_CA_FILE,
            POLICIES,
            DOWNLOAD_DIR,
            SIGSTORE_CACHE_DIR,
            SIGSTORE_TRUST_CONFIG,
            SOURCES,
            VERIFICATION,
            UNVERIFIED_POLICIES,
            DOCKER_CONFIG,
            ENABLE_METRICS,
            ACCEPTED_NAMESPACE,
            DISABLE_TIMEOUT,
            POLICY_TIMEOUT,
            IGNORE_KUBERNETES,
            ENABLE_PPROF,
            CONTINUE_ON_ERRORS,
            LOG_LEVEL,
            LOG_FORMAT,
            LOG_NO_COLOR,
            DAEMON,
            DAEMON_PID_FILE,
            DAEMON_STDOUT_FILE,
            DAEMON_STDERR_FILE,
            STANDALONE,
            POLICY_SERVER_NAME,
            NAMESPACE,
            POD_NAME,
            POD_UID,
            REPLICA,
            CACHE_DIR,
            CACHE_SIGNER_CERT,
            CACHE_SIGNER_KEY,
            CACHE_CA,
            NAMESPACED_CAPABILITIES,
            EVIDENCE_TOKEN_FILE,
            DISABLE_GROUP_MEMBER_WARNINGS,
            FAIL_FAST,
            MAX_BODY_BYTES,
            MAX_TOTAL_BODY_BYTES,
            MAX_CONNECTIONS,
            MAX_STREAMS,
            MAX_HEADER_BYTES,
            HEADER_TIMEOUT,
            BODY_TIMEOUT,
            IDLE_TIMEOUT,
            MAX_MODULE_BYTES,
            MODULE_FETCH_TIMEOUT,
            HOST_CALL_ALLOWED_NETWORKS,
            QUEUE_SIZE,
            POLICY_QUEUE_SIZE,
            QUEUE_TIMEOUT,
            POLICY_LOG_BYTES,
            DRAIN_LAG,
            DRAIN_TIMEOUT,
            MEMORY_LIMIT,
            GUEST_MEMORY,
            INSTANCE_MEMORY,
            HOST_FUNCTION_MEMORY,
            COMPILED_CODE_MEMORY,
            PREPARATION_MEMORY,
            PREPARATION_TIMEOUT,
            PREPARATIONS);

    private ServerFlags() {}
}
