package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.evaluator.host.HostCallException;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold admission-request}: the request that an API server would send about an object. */
public final class ScaffoldAdmissionRequestCommand implements Command {

    public static final String SUMMARY = "Scaffold an AdmissionRequest object";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::admission_request");

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);

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
                        The built-in kinds of Kubernetes are known. Of others the cluster is asked, which the kubeconfig names,
                        and what it says is remembered in the cache directory; without a cluster the name of the resource
                        is left open.""")
                .with(OBJECT, OLD_OBJECT, OPERATION);
    }

    @Override
    public ExitCode run(Arguments arguments, Session session) {
        var file = session.directories().kwctlCache().resolve("resource_catalog.json");
        var object = arguments.value(OBJECT).map(name -> read(name, session));
        var oldObject = arguments.value(OLD_OBJECT).map(name -> read(name, session));
        var operation = Operation.valueOf(arguments.required(OPERATION));

        var offline = AdmissionRequests.of(operation, object, oldObject, remembered(file));
        var scaffold = offline.resourceIsKnown()
                ? offline
                : discovered(file, session)
                        .map(catalogue -> AdmissionRequests.of(operation, object, oldObject, catalogue))
                        .orElse(offline);
        if (!scaffold.resourceIsKnown()) {
            log.warn("The kind is not built into Kubernetes and no cluster knows it:"
                    + " replace the placeholder of the resource's plural name");
        }
        session.out().print(OutputFormat.prettyJson(scaffold.request()));
        return ExitCode.SUCCESS;
    }

    /** What the cluster serves, remembered for the next time; empty without a cluster. */
    private static Optional<JsonNode> discovered(Path file, Session session) {
        try (var cluster = ClusterConnection.find(session.environment(), session.clock())) {
            if (!cluster.isConfigured()) {
                return Optional.empty();
            }
            var catalogue = cluster.catalogue(CONNECT_LIMIT);
            var directory = session.directories().kwctlCache();
            Files.createDirectories(directory);
            AtomicFile.at(file, directory)
                    .write(OutputFormat.prettyJson(catalogue).getBytes(StandardCharsets.UTF_8));
            return Optional.of(catalogue);
        } catch (HostCallException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("the cluster cannot be asked for its API resources");
            return Optional.empty();
        } catch (IOException e) {
            throw new CommandException("cannot write " + file, e);
        }
    }

    private static JsonNode read(String file, Session session) {
        try {
            return YamlDocuments.parse(TextFile.read(session.path(file), "cannot read file " + file));
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }

    private static JsonNode remembered(Path file) {
        try {
            return Files.isRegularFile(file) ? new JsonMapper().readTree(file.toFile()) : MissingNode.getInstance();
        } catch (IOException e) {
            log.atWarn().addKeyValue("file", file).log("the catalogue of API resources cannot be read");
            return MissingNode.getInstance();
        }
    }
}
