package io.portcullis.kwctl.command;

import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.manifest.ArtifactHubPackage;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold artifacthub}: prints the {@code artifacthub-pkg.yml} of a policy. */
public final class ScaffoldArtifactHubCommand implements Command {

    public static final String SUMMARY = "Output an artifacthub-pkg.yml file from a metadata file";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::artifacthub");

    private static final Option METADATA = Option.one(
                    "metadata-path", "PATH", "File containing the metadata [default: metadata.yml, then metadata.yaml]")
            .withShort('m');
    private static final Option OUTPUT = Option.one(
                    "output", "FILE", "Path where the artifact-pkg.yml file will be stored")
            .withShort('o');
    private static final Option QUESTIONS = Option.one(
                    "questions-path",
                    "PATH",
                    "File containing the questions-ui content of the policy [default: questions-ui.yml, questions.yml]")
            .withShort('q');
    private static final Option VERSION = Option.one(
                    "version", "VALUE", "Deprecated and ignored: the version comes from the metadata")
            .withShort('v');

    private static final String HEADER = """
            # Kubewarden Artifacthub Package config
            #
            # Use this config to submit the policy to https://artifacthub.io.
            #
            # This config can be saved to its default location with:
            #   kwctl scaffold artifacthub > artifacthub-pkg.yml
            """;

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold artifacthub", SUMMARY).with(METADATA, OUTPUT, QUESTIONS, VERSION);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        if (arguments.has(VERSION)) {
            log.warn("The --version option is deprecated and ignored: the version is read from the metadata");
        }
        var metadataFile = arguments
                .value(METADATA)
                .map(session::path)
                .or(() -> firstExisting(session, List.of("metadata.yml", "metadata.yaml")))
                .orElseThrow(() -> new CommandException(
                        "metadata.yml or metadata.yaml not found in the current directory; use --metadata-path"));
        var questions = arguments
                .value(QUESTIONS)
                .map(session::path)
                .or(() -> firstExisting(
                        session, List.of("questions-ui.yml", "questions-ui.yaml", "questions.yml", "questions.yaml")))
                .map(ScaffoldArtifactHubCommand::questions);
        var text = HEADER
                + YamlText.of(ArtifactHubPackage.of(
                        metadata(metadataFile).metadata(),
                        questions,
                        session.clock().instant()));
        arguments
                .value(OUTPUT)
                .ifPresentOrElse(
                        file -> write(session.path(file), text),
                        () -> session.out().print(text));
        return KwctlExitCode.SUCCESS;
    }

    private static Optional<Path> firstExisting(CommandSession session, List<String> names) {
        return names.stream().map(session::path).filter(Files::isRegularFile).findFirst();
    }

    private static MetadataDocument metadata(Path file) {
        try {
            return MetadataDocument.of(YamlDocuments.parse(TextFile.read(file, "cannot read metadata file " + file)));
        } catch (YamlException e) {
            throw new CommandException("cannot parse metadata file " + file, e);
        }
    }

    private static String questions(Path file) {
        var text = TextFile.read(file, "cannot read questions file " + file);
        if (text.isBlank()) {
            throw new CommandException("questions file " + file + " is empty");
        }
        return text;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException("cannot create file " + file, e);
        }
    }
}
