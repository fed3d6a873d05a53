package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.Credential;
import io.portcullis.artifacts.oci.DockerConfig;
import io.portcullis.artifacts.oci.DockerLogin;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.args.ParsedArguments;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import java.nio.file.Files;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** The options of every command that talks to registries and web servers, and what they make. */
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

    /** How hosts may be talked to: the file given, else the user's own, else the environment. */
    public static Sources sources(ParsedArguments arguments, CommandSession session) {
        var standard = session.directories().sourcesFile();
        return arguments
                .value(SOURCES)
                .map(session::path)
                .or(() -> Optional.of(standard).filter(Files::isRegularFile))
                .map(file -> Sources.load(file, session.environment()))
                .orElseGet(() -> Sources.fromEnvironment(session.environment()));
    }

    /** Tells a mistake in the sources file before anything is done, also when nothing will be fetched. */
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

    /** The caller closes it. */
    public static Transport transport(ParsedArguments arguments, CommandSession session) {
        return new Transport(sources(arguments, session));
    }

    public static RegistryClient registry(Transport transport, ParsedArguments arguments, CommandSession session) {
        var credentials = DockerConfig.load(arguments.value(DOCKER_CONFIG).map(session::path), session.environment());
        return new RegistryClient(transport, credentials, Clock.system(ZoneOffset.UTC));
    }

    /** Known to registries by this credential only. */
    public static RegistryClient registry(Transport transport, Credential credential) {
        return new RegistryClient(transport, _ -> credential, Clock.system(ZoneOffset.UTC));
    }

    /** Where passwords are kept. */
    public static DockerLogin login(ParsedArguments arguments, CommandSession session) {
        return new DockerLogin(arguments.value(DOCKER_CONFIG).map(session::path), session.environment());
    }

    /** An image in a registry, with or without {@code registry://} in front. */
    public static ImageReference image(String argument) {
        var name = argument.strip();
        return ImageReference.parse(name.startsWith(SCHEME) ? name.substring(SCHEME.length()) : name);
    }

    public static PolicyArtifacts artifacts(Transport transport, ParsedArguments arguments, CommandSession session) {
        return new PolicyArtifacts(registry(transport, arguments, session));
    }
}
