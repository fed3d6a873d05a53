package io.portcullis.kwctl.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.SettingsOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The common options of {@code run} and {@code bench}. Prepares the request and the policies from them. */
public final class RunOptions {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    private static final Option ALLOW_CONTEXT_AWARE = Option.flag(
            "allow-context-aware", "Grant access to the Kubernetes resources listed in the policy's metadata");
    private static final Option ALLOWED_HOST_CAPABILITIES = Option.words(
            "allowed-host-capabilities",
            "PATTERN",
            RunOptions::looksLikeCapability,
            "Host capabilities that the policy may use, for example 'oci/*'; none given: deny all [default: *]");
    private static final Option EXECUTION_MODE = Option.choice(
                    "execution-mode",
                    "MODE",
                    List.of("opa", "gatekeeper", "kubewarden", "kubewarden-wapc", "wasi"),
                    "The runtime to use to execute this policy, instead of what its metadata says")
            .withShort('e');
    private static final Option RAW = Option.flag("raw", "The request is any JSON, not an admission request");
    private static final Option REQUEST = Option.one(
                    "request-path", "PATH", "File containing the request object in JSON format, '-' for standard input")
            .withShort('r')
            .required();
    private static final Option OBJECT = Option.one(
            "object",
            "PATH",
            "Instead of a request: an object, YAML or JSON, whose creation is judged; '-' for standard input");
    private static final Option NO_CACHE = Option.flag(
                    "disable-wasmtime-cache", "Neither use nor fill the cache of compiled modules")
            .withAlias("no-module-cache");
    private static final Option RECORD = Option.one(
            "record-host-capabilities-interactions",
            "FILE",
            "Record all the policy and host capabilities communications to the given file");
    private static final Option REPLAY = Option.one(
            "replay-host-capabilities-interactions",
            "FILE",
            "During policy and host capabilities exchanges, the host replays back the answers found inside of the provided file");
    private static final Option TIMEOUT = Option.one(
                    "timeout", "SECONDS", "How long one evaluation may take; 0 for no limit")
            .withDefault("10");

    private static final Pattern CAPABILITY =
            Pattern.compile("\\*|(oci|net|crypto|kubernetes)(/[a-z0-9_*]*)*(,.*)?|[a-z0-9_/]+/\\*(,.*)?");
    private static final List<String> EVERYTHING = List.of("*");

    private RunOptions() {}

    private static boolean looksLikeCapability(String word) {
        return CAPABILITY.matcher(word).matches();
    }

    public static CommandSpec describe(CommandSpec spec) {
        return spec.with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(SettingsOptions.OPTIONS)
                .with(
                        ALLOW_CONTEXT_AWARE,
                        ALLOWED_HOST_CAPABILITIES,
                        EXECUTION_MODE,
                        RAW,
                        RECORD,
                        REPLAY,
                        REQUEST,
                        NO_CACHE,
                        OBJECT,
                        PolicyLocation.OFFLINE,
                        TIMEOUT,
                        Evaluation.TRACE)
                .with(MatchOptions.OPTIONS)
                .exclusive(RECORD, REPLAY)
                .exclusive(REQUEST, OBJECT)
                .taking(Positional.one(
                        "uri_or_sha_prefix_or_yaml_file",
                        "Policy URI, path or SHA prefix, or a YAML file with policies"));
    }

    /** Reads and checks all inputs. The order determines which error the user sees first. */
    public static PreparedRun prepare(ParsedArguments arguments, CommandSession session) {
        var argument = arguments.first();
        var grants = grants(arguments);
        var definitions = PolicyFile.isNamedBy(argument)
                ? Optional.of(definitions(argument, grants, arguments, session))
                : Optional.<List<PolicyFile.Definition>>empty();
        if (definitions.isEmpty()) {
            MatchOptions.rejectWithoutFile(arguments);
        }
        var settings = SettingsOptions.read(arguments, session);
        var request = request(arguments, session);
        RemoteOptions.checkSources(arguments, session);
        var mode = sessionMode(arguments, session);
        var source = new PolicyLocation(arguments, session);
        var modules = new Modules(source);
        try {
            var policies = definitions
                    .map(found -> fromFile(MatchOptions.wanted(found, request, arguments), modules))
                    .orElseGet(() -> List.of(fromCommandLine(argument, arguments, settings, modules)));
            if (!(mode instanceof HostSession.Mode.Replayed)) {
                needCluster(policies, session);
            }
            var evaluation = new Evaluation(
                    cache(arguments, session), timeout(arguments.orDefault(TIMEOUT)), arguments, session);
            return new PreparedRun(request, policies, modules, source, evaluation, mode);
        } catch (RuntimeException e) {
            source.close();
            throw e;
        }
    }

    private static RequestDocument request(ParsedArguments arguments, CommandSession session) {
        return arguments
                .value(OBJECT)
                .map(file -> RequestDocument.ofCreation(object(file, session), MissingNode.getInstance()))
                .orElseGet(() -> RequestDocument.read(arguments.required(REQUEST), session));
    }

    private static JsonNode object(String file, CommandSession session) {
        try {
            return YamlDocuments.parse(TextFile.readOrStandardInput(file, session, "cannot read file " + file));
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }

    /** Fails early if a policy needs a cluster and none is configured. Does not connect to the cluster. */
    private static void needCluster(List<PolicyRun> policies, CommandSession session) {
        if (policies.stream().noneMatch(PolicyRun::readsCluster)) {
            return;
        }
        try (var cluster = ClusterConnection.find(session.environment(), session.clock())) {
            if (!cluster.isConfigured()) {
                throw new CommandException("Cannot read Kubernetes resources: no kubeconfig found."
                        + " Set KUBECONFIG, create ~/.kube/config, or replay a recorded session");
            }
        }
    }

    private static Optional<Duration> timeout(String seconds) {
        try {
            return Optional.of(Duration.ofSeconds(Long.parseUnsignedLong(seconds)))
                    .filter(duration -> !duration.isZero());
        } catch (NumberFormatException _) {
            throw new CommandException("Cannot convert 'timeout': '" + seconds + "' is not a number of seconds");
        }
    }

    private static HostSession.Mode sessionMode(ParsedArguments arguments, CommandSession session) {
        return arguments
                .value(RECORD)
                .<HostSession.Mode>map(file -> new HostSession.Mode.Recorded(session.path(file)))
                .or(() -> arguments.value(REPLAY).map(file -> HostSession.Mode.Replayed.load(session.path(file))))
                .orElseGet(HostSession.Mode.Live::new);
    }

    private static CompiledModuleCache cache(ParsedArguments arguments, CommandSession session) {
        return arguments.has(NO_CACHE)
                ? CompiledModuleCache.NONE
                : LocalModuleCache.in(session.directories().kwctlCache().resolve("modules"));
    }

    private static List<String> grants(ParsedArguments arguments) {
        return arguments.has(ALLOWED_HOST_CAPABILITIES) ? arguments.values(ALLOWED_HOST_CAPABILITIES) : EVERYTHING;
    }

    private static List<PolicyFile.Definition> definitions(
            String argument, List<String> grants, ParsedArguments arguments, CommandSession session) {
        if (arguments.has(RAW)) {
            throw new CommandException("--raw option cannot be used with a YAML file");
        }
        if (SettingsOptions.given(arguments)) {
            log.info("The settings given are not used: each policy of the YAML file has its own");
        }
        var path = argument.startsWith("file://") ? argument.substring("file://".length()) : argument;
        var found =
                PolicyFile.parse(path, TextFile.read(session.path(path), "Cannot open YAML file " + argument), grants);
        if (found.size() > 1) {
            log.warn("The YAML file holds several policies; all of them judge the same request");
        }
        return found;
    }

    private static List<PolicyRun> fromFile(List<PolicyFile.Definition> definitions, Modules modules) {
        return definitions.stream()
                .map(definition -> PolicyRun.of(definition, definition.entry(), modules))
                .toList();
    }

    private static PolicyRun fromCommandLine(
            String argument, ParsedArguments arguments, ObjectNode settings, Modules modules) {
        var module = modules.prepare(argument, arguments.value(EXECUTION_MODE).map(RunOptions::mode));
        var entry = new PolicyEntry.Single(
                new PolicyEntry.Module(
                        argument,
                        settings,
                        contextGrant(module, arguments.has(ALLOW_CONTEXT_AWARE)),
                        Optional.empty(),
                        grants(arguments)),
                PolicyMode.PROTECT,
                true,
                Optional.empty());
        return new PolicyRun("policy-from-cli", entry, arguments.has(RAW) || module.isRaw(), Optional.empty());
    }

    private static ExecutionMode mode(String name) {
        return name.equals("kubewarden")
                ? ExecutionMode.KUBEWARDEN_WAPC
                : ExecutionMode.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private static Set<ContextAwareResource> contextGrant(Modules.Prepared module, boolean allowed) {
        var wanted =
                module.metadata().map(PolicyMetadata::contextAwareResources).orElse(Set.of());
        if (module.metadata().isEmpty()) {
            log.info("The policy has no metadata: it is granted no Kubernetes resources");
        } else if (!wanted.isEmpty() && !allowed) {
            log.warn("The policy requires access to Kubernetes resources, and was not granted any");
            log.warn("Use --allow-context-aware to grant the resources that its metadata lists");
        }
        return allowed ? wanted : Set.of();
    }
}
