package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.StoredPolicy;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.artifacts.verify.VerificationConfig;
import io.portcullis.artifacts.wasm.LocalModule;
import io.portcullis.artifacts.wasm.WasmModule;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.output.ProgressBar;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads policies: reads local policies and pulls others on demand. Sets up the network only when needed, so that a local
 * policy starts fast. Not thread-safe.
 */
public final class PolicyLocation implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("kwctl::verify");

    private static final Logger pullLog = LoggerFactory.getLogger("kwctl::pull");

    /** For commands that traditionally use only local policies. */
    public static final Option PULL =
            Option.flag("pull", "Pull the policy into the store first when it is not there yet");

    /** For commands that pull policies on demand. */
    public static final Option OFFLINE =
            Option.flag("offline", "Pull nothing: use the copies of policies that are in the store");

    private final ParsedArguments arguments;
    private final CommandSession session;
    private final LocalPolicies local;
    private final Optional<VerificationConfig> verification;
    private @Nullable Transport transport;

    /** Reads the signature options at once, so that an invalid option fails before any other work. */
    public PolicyLocation(ParsedArguments arguments, CommandSession session) {
        this.arguments = arguments;
        this.session = session;
        this.local = new LocalPolicies(session);
        this.verification = VerificationOptions.config(arguments, session);
        VerificationOptions.checkTrustConfig(arguments, session);
    }

    /** Resolves an argument to a URI. */
    public PolicyUri locate(String argument) {
        return local.locate(argument);
    }

    /** Returns the policy's bytes. */
    public byte[] bytes(PolicyUri uri) {
        return switch (uri) {
            case PolicyUri.LocalFile(var path) when verification.isEmpty() -> read(path);
            case PolicyUri.LocalFile file -> fetch(file);
            case PolicyUri.Web web -> storedOrFetched(web);
            case PolicyUri.Registry registry -> storedOrFetched(registry);
        };
    }

    private byte[] storedOrFetched(PolicyUri uri) {
        if (!arguments.has(OFFLINE)) {
            return fetch(uri);
        }
        if (isVerifying()) {
            throw new CommandException(
                    "Policy " + uri + " cannot be verified with --offline: its registry has the signatures");
        }
        return local.store()
                .find(uri)
                .map(StoredPolicy::bytes)
                .orElseThrow(() ->
                        new CommandException("Policy " + uri + " is not in the store, and --offline pulls nothing"));
    }

    /** Returns the policy's bytes from their source. Neither reads nor fills the store. */
    public byte[] remoteBytes(PolicyUri uri) {
        if (uri instanceof PolicyUri.LocalFile) {
            return bytes(uri);
        }
        try {
            var directory = Files.createTempDirectory("kwctl");
            var file = directory.resolve("policy.wasm");
            try {
                fetchInto(uri, file);
                return read(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new CommandException("cannot use the directory for temporary files", e);
        }
    }

    /** Returns the bytes of any local copy, even of a tag that may have moved since. Otherwise works like {@link #bytes}. */
    public byte[] bytesOfAnyLocalCopy(PolicyUri uri) {
        if (isVerifying() || uri instanceof PolicyUri.LocalFile) {
            return bytes(uri);
        }
        return local.store().find(uri).map(StoredPolicy::bytes).orElseGet(() -> {
            if (!arguments.has(OFFLINE)) {
                pullLog.atInfo().addKeyValue("uri", uri).log("The policy is not in the store: pulling it");
            }
            return bytes(uri);
        });
    }

    /** Returns the local policy. Pulls it into the store if it is missing and the user gave {@link #PULL}. */
    public static LocalPolicy require(String argument, ParsedArguments arguments, CommandSession session) {
        var local = new LocalPolicies(session);
        if (arguments.has(PULL) && !(local.locate(argument) instanceof PolicyUri.LocalFile)) {
            try (var source = new PolicyLocation(arguments, session)) {
                source.bytesOfAnyLocalCopy(local.locate(argument));
            }
        }
        return local.require(argument);
    }

    private static byte[] read(Path path) {
        try {
            return LocalModule.read(path, WasmModule.DEFAULT_LIMIT);
        } catch (IOException e) {
            throw new CommandException("cannot read metadata from path", e);
        }
    }

    private byte[] fetch(PolicyUri uri) {
        try (var progress = ProgressBar.of(session, "Pulling " + uri)) {
            return withVerification(
                    uri, () -> fetcher().fetch(uri.toString(), progress).wasm());
        }
    }

    /** Pulls a policy into the given file. */
    public void fetchInto(PolicyUri uri, Path target) {
        try (var progress = ProgressBar.of(session, "Pulling " + uri)) {
            withVerification(uri, () -> {
                fetcher().fetchInto(uri.toString(), target, progress);
                return target;
            });
        }
    }

    /** Verifies the signatures of an image without downloading the policy. */
    public void verify(PolicyUri.Registry uri) {
        withVerification(uri, () -> policyVerification().orElseThrow().verify(uri.image()));
    }

    public boolean isVerifying() {
        return verification.isPresent();
    }

    private <T> T withVerification(PolicyUri uri, Supplier<T> work) {
        try {
            var result = work.get();
            if (isVerifying()) {
                log.info("Policy successfully verified");
            }
            return result;
        } catch (ArtifactException e) {
            throw translated(uri, e);
        }
    }

    private static RuntimeException translated(PolicyUri uri, ArtifactException failure) {
        if (failure.reason() == ArtifactException.Reason.SIGNATURE) {
            return new CommandException("Policy " + uri + " cannot be validated\n" + failure.getMessage());
        }
        return uri instanceof PolicyUri.Registry ? RegistryFailure.of(failure) : failure;
    }

    private PolicyFetcher fetcher() {
        return new PolicyFetcher(
                transport(),
                RemoteOptions.artifacts(transport(), arguments, session),
                local.store(),
                policyVerification(),
                WasmModule.DEFAULT_LIMIT);
    }

    private Optional<PolicyVerification> policyVerification() {
        return verification.map(config -> VerificationOptions.verification(config, transport(), arguments, session));
    }

    private Transport transport() {
        if (transport == null) {
            transport = RemoteOptions.transport(arguments, session);
        }
        return transport;
    }

    @Override
    public void close() {
        if (transport != null) {
            transport.close();
        }
    }
}
