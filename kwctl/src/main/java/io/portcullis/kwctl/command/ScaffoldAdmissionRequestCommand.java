package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.ExitCode;
import io.portcullis.kwctl.cli.Session;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.manifest.AdmissionRequests;
import io.portcullis.kwctl.manifest.AdmissionRequests.Operation;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.yaml.YamlDocuments;
import io.portcullis.kwctl.yaml.YamlException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold admission-request}: the request that an API server would send about an object. */
public final class ScaffoldAdmissionRequestCommand implements Command {

    public static final String SUMMARY = "Scaffold an AdmissionRequest object";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::admission_request");

    private static final Option OBJECT =
            Option.one("object", "FILE", "The file that contains the object, YAML or JSON");
    private static final Option OLD_OBJECT =
            Option.one("old-object", "FILE", "The file that contains the object as it was before, YAML or JSON");
    private static final Option OPERATION = Option.choice(
                    "operation",
                    "TYPE",
                    Arrays.stream(Operation.values()).map(Operation::name).toList(),
                    "Kubewarden policy operation")
            .withShort('o')
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold admission-request", SUMMARY)
                .describedBy("""
                        The built-in kinds of Kubernetes are known; for others the name of the resource is left open, unless
                        an earlier run against a cluster has left a catalogue in the cache directory.""")
                .with(OBJECT, OLD_OBJECT, OPERATION);
    }

    @Override
    public ExitCode run(Arguments arguments, Session session) {
        var scaffold = AdmissionRequests.of(
                Operation.valueOf(arguments.required(OPERATION)),
                arguments.value(OBJECT).map(file -> read(file, session)),
                arguments.value(OLD_OBJECT).map(file -> read(file, session)),
                catalogue(session));
        if (!scaffold.resourceIsKnown()) {
            log.warn("The kind is not built into Kubernetes: replace the placeholder of the resource's plural name");
        }
        session.out().print(OutputFormat.prettyJson(scaffold.request()));
        return ExitCode.SUCCESS;
    }

    private static JsonNode read(String file, Session session) {
        try {
            return YamlDocuments.parse(TextFile.read(session.path(file), "cannot read file " + file));
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }

    private static JsonNode catalogue(Session session) {
        var file = session.directories().kwctlCache().resolve("resource_catalog.json");
        try {
            return Files.isRegularFile(file) ? new JsonMapper().readTree(file.toFile()) : MissingNode.getInstance();
        } catch (IOException e) {
            log.atWarn().addKeyValue("file", file).log("the catalogue of API resources cannot be read");
            return MissingNode.getInstance();
        }
    }
}
