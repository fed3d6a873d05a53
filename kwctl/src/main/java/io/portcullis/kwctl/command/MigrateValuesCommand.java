package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.values.MigrationReport;
import io.portcullis.kwctl.values.TargetChart;
import io.portcullis.kwctl.values.ValuesMigration;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code kwctl migrate values}: converts values files of Kubewarden's charts into values files of our charts. */
public final class MigrateValuesCommand implements Command {

    public static final String SUMMARY =
            "Convert values files of Kubewarden's Helm charts into values of Portcullis' charts";

    private static final Option OUTPUT = Option.one(
                    "output-dir",
                    "DIR",
                    "Directory to write portcullis-crds.yaml, portcullis.yaml and portcullis-defaults.yaml to")
            .withShort('o');

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl migrate values", SUMMARY)
                .describedBy("""
                        Takes values of the charts kubewarden-crds, kubewarden-controller and kubewarden-defaults, and of the
                        single chart admission-controller. Several files are merged as by 'helm -f': a later file overrides an
                        earlier one.

                        The values for each of our charts go to standard output, or to files. Standard error lists what
                        changes: values that have another key or form, and values that are refused, with the reason.

                          kwctl migrate values -o converted values.yaml""")
                .with(OUTPUT)
                .taking(Positional.oneOrMore("file", "Values files, or '-' for standard input"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var merged = JsonNodeFactory.instance.objectNode();
        for (var file : arguments.positionals()) {
            merged = ValuesMigration.merge(merged, read(file, session));
        }
        var migration = ValuesMigration.of(merged);
        arguments
                .value(OUTPUT)
                .ifPresentOrElse(
                        directory -> write(migration, directory, arguments.positionals(), session),
                        () -> print(migration, session));
        session.err().print(MigrationReport.of(migration.changes()));
        return KwctlExitCode.SUCCESS;
    }

    private static ObjectNode read(String file, CommandSession session) {
        var text = TextFile.readOrStandardInput(file, session, "cannot read file " + file);
        try {
            return switch (YamlDocuments.parse(text)) {
                case ObjectNode values -> values;
                case JsonNode other when other.isNull() -> JsonNodeFactory.instance.objectNode();
                case JsonNode other ->
                    throw new CommandException("%s holds a %s, but values are a mapping of keys to values"
                            .formatted(file, other.isArray() ? "list" : "single value"));
            };
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }

    private static void print(ValuesMigration migration, CommandSession session) {
        var separator = "";
        for (var chart : TargetChart.values()) {
            session.out().print(separator + document(migration, chart));
            separator = "---\n";
        }
    }

    private static void write(
            ValuesMigration migration, String directory, List<String> inputs, CommandSession session) {
        try {
            for (var chart : TargetChart.values()) {
                var file = file(directory, chart, session);
                if (isOneOf(inputs, file, session)) {
                    throw new CommandException(
                            "the output would overwrite the input %s; name another directory".formatted(file));
                }
            }
            Files.createDirectories(session.path(directory));
            for (var chart : TargetChart.values()) {
                Files.writeString(file(directory, chart, session), document(migration, chart));
            }
        } catch (IOException e) {
            throw new CommandException("cannot write values to " + directory, e);
        }
    }

    private static Path file(String directory, TargetChart chart, CommandSession session) {
        return session.path(directory).resolve(chart.chartName() + ".yaml");
    }

    private static boolean isOneOf(List<String> inputs, Path file, CommandSession session) throws IOException {
        for (var input : inputs) {
            if (!input.equals("-") && Files.exists(file) && Files.isSameFile(session.path(input), file)) {
                return true;
            }
        }
        return false;
    }

    private static String document(ValuesMigration migration, TargetChart chart) {
        var values = migration.values().getOrDefault(chart, JsonNodeFactory.instance.objectNode());
        return "# Values of " + chart.chartName() + "\n" + YamlText.of(values);
    }
}
