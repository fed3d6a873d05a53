package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credential;
import io.portcullis.artifacts.oci.credentials.DockerConfig;
import io.portcullis.artifacts.oci.credentials.DockerLogin;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.nio.file.Files;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** The options of every command that connects to registries and web servers, and the clients that they configure. */
public final class RemoteOptions {

    public static final Option DOCKER_CONFIG = Option.one(
            "docker-config-json-path",
            "DOCKER_CONFIG",
            "Path to a directory containing the Docker 'config.json' file. Can be used to indicate registry authentication details");
    private static final Option SOURCES = Option.one(
            "sources-path",
            "PATH",
            "YAML file holding source information (https, registry insecure hosts, custom CA's...)");

    public static final List<Option> OPTIONS = List.of(DOCKER_CONFIG, SOURCES);

    private static final String SCHEME = "registry://";

    private RemoteOptions() {}

    /**
     * Returns the connection settings per host: from the given file, else from the user's own file, else from the
     * environment.
     */
    public static Sources sources(ParsedArguments arguments, CommandSession session) {
        var standard = session.directories().sourcesFile();
        return arguments
                .value(SOURCES)
                .map(session::path)
                .or(() -> Optional.of(standard).filter(Files::isRegularFile))
                .map(file -> Sources.load(file, session.environment()))
                .orElseGet(() -> Sources.fromEnvironment(session.environment()));
    }

    /** Fails on an invalid sources file before any other work, even if the command fetches nothing. */
    public static void checkSources(ParsedArguments arguments, CommandSession session) {
        if (!arguments.has(SOURCES)
                && !Files.isRegularFile(session.directories().sourcesFile())) {
            return;
        }
        try {
            sources(arguments, session);
        } catch (ArtifactException e) {
            throw new CommandException("Error getting remote server options", e);
        }
    }

    /** Creates a transport. The caller closes it. */
    public static Transport transport(ParsedArguments arguments, CommandSession session) {
        return new Transport(sources(arguments, session));
    }

    public static RegistryClient registry(Transport transport, ParsedArguments arguments, CommandSession session) {
        arguments.value(DOCKER_CONFIG).ifPresent(directory -> requireDockerConfig(directory, session));
        var credentials = DockerConfig.load(arguments.value(DOCKER_CONFIG).map(session::path), session.environment());
        return new RegistryClient(transport, credentials, Clock.system(ZoneOffset.UTC));
    }

    /** Fails if the directory that the user named has no configuration, because anonymous access would fail less clearly. */
    private static void requireDockerConfig(String directory, CommandSession session) {
        if (!Files.isRegularFile(session.path(directory).resolve("config.json"))) {
            throw new CommandException("--docker-config-json-path " + directory
                    + ": there is no file config.json; name the directory that contains it, not the file");
        }
    }

    /** Creates a client that authenticates with this credential only. */
    public static RegistryClient registry(Transport transport, Credential credential) {
        return new RegistryClient(transport, _ -> credential, Clock.system(ZoneOffset.UTC));
    }

    /** Returns the store of registry passwords. */
    public static DockerLogin login(ParsedArguments arguments, CommandSession session) {
        return new DockerLogin(arguments.value(DOCKER_CONFIG).map(session::path), session.environment());
    }

    /** Parses an image reference, with or without the prefix {@code registry://}. */
    public static ImageReference image(String argument) {
        var name = argument.strip();
        return ImageReference.parse(name.startsWith(SCHEME) ? name.substring(SCHEME.length()) : name);
    }

    public static PolicyArtifacts artifacts(Transport transport, ParsedArguments arguments, CommandSession session) {
        return new PolicyArtifacts(registry(transport, arguments, session));
    }
}
