package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/**
 * Finds policies by the user's argument: a URI, an existing file, a SHA-256 prefix, or an image name with its registry.
 *
 * <p>A name without a registry never means an image on Docker Hub, because it is far more often a mistyped file.
 */
public final class LocalPolicies {

    private final CommandSession session;
    private final PolicyStore store;

    public LocalPolicies(CommandSession session) {
        this.session = session;
        this.store = new PolicyStore(session.directories().store());
    }

    public PolicyStore store() {
        return store;
    }

    /**
     * Returns the policy, which must be on this machine.
     *
     * @throws CommandException when it is not
     */
    public LocalPolicy require(String argument) {
        return switch (locate(argument)) {
            case PolicyUri.LocalFile(var path) -> new LocalPolicy(new PolicyUri.LocalFile(path), path);
            case PolicyUri.Registry registry -> stored(argument, registry);
            case PolicyUri.Web web -> stored(argument, web);
        };
    }

    private LocalPolicy stored(String argument, PolicyUri uri) {
        return store.find(uri).map(found -> new LocalPolicy(uri, found.file())).orElseThrow(() -> notFound(argument));
    }

    /** Resolves the argument to a URI. Fetches nothing; the target of the URI need not exist. */
    public PolicyUri locate(String argument) {
        var trimmed = argument.strip();
        if (trimmed.contains("://")) {
            return PolicyUri.parse(trimmed);
        }
        if (Files.isDirectory(session.path(trimmed))) {
            throw new CommandException("Cannot find policy with uri: " + argument
                    + "\nIt is a directory; name a module or a YAML file in it");
        }
        return existingFile(trimmed)
                .or(() -> store.findByPrefix(trimmed).map(found -> found.uri()))
                .or(() -> image(trimmed))
                .orElseThrow(() -> notFound(argument));
    }

    /** Resolves the argument of a download. A name without a registry is a mistake, not an image on Docker Hub. */
    public PolicyUri locateRemote(String argument) {
        var trimmed = argument.strip();
        if (trimmed.contains("://") || namesRegistry(trimmed)) {
            return PolicyUri.parse(trimmed);
        }
        throw new CommandException("Cannot find policy with uri: " + argument
                + "\nThe name has no registry. Write it in full: registry://HOST/" + argument);
    }

    private Optional<PolicyUri> existingFile(String argument) {
        var path = session.path(argument);
        try {
            return Files.isRegularFile(path)
                    ? Optional.of(new PolicyUri.LocalFile(path.toRealPath()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new CommandException("cannot read " + path, e);
        }
    }

    private static boolean namesRegistry(String argument) {
        var registry = argument.substring(0, Math.max(0, argument.indexOf('/')));
        return registry.contains(":")
                || registry.equals("localhost")
                || (registry.contains(".") && !registry.startsWith("."));
    }

    private static Optional<PolicyUri> image(String argument) {
        if (!namesRegistry(argument)) {
            return Optional.empty();
        }
        try {
            return Optional.of(PolicyUri.parse(argument));
        } catch (ArtifactException _) {
            return Optional.empty();
        }
    }

    public static CommandException notFound(String argument) {
        return new CommandException("Cannot find policy with uri: " + argument);
    }
}
