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
import io.portcullis.kwctl.manifest.AdmissionRequests;
import io.portcullis.kwctl.manifest.AdmissionRequests.Operation;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold admission-request}: prints the request that an API server would send about an object. */
public final class ScaffoldAdmissionRequestCommand implements Command {

    public static final String SUMMARY = "Scaffold an AdmissionRequest object";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::admission_request");

    private static final Option DRY_RUN = Option.flag("dry-run", "The request is one of a dry run");
    private static final Option GROUP =
            Option.many("group", "NAME", "A group of the user, instead of system:masters; may be repeated");
    private static final Option OBJECT =
            Option.one("object", "FILE", "The file that contains the object, YAML or JSON; '-' for standard input");
    private static final Option OLD_OBJECT = Option.one(
            "old-object", "FILE", "The file that contains the object as it was before; '-' for standard input");
    private static final Option OPERATION = Option.choice(
                    "operation",
                    "TYPE",
                    Arrays.stream(Operation.values()).map(Operation::name).toList(),
                    "Kubewarden policy operation")
            .withShort('o')
            .required();
    private static final Option REVIEW = Option.flag("review", "Print a whole AdmissionReview, as servers are sent");
    private static final Option SUB_RESOURCE =
            Option.one("sub-resource", "NAME", "The part of the resource that is changed, for example status");
    private static final Option USER = Option.one("user", "NAME", "Who makes the request, instead of test-user");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold admission-request", SUMMARY)
                .describedBy("""
                        The built-in kinds of Kubernetes are known. Of others the cluster is asked, which the kubeconfig names,
                        and what it says is remembered in the cache directory; without a cluster the name of the resource
                        is left open.""")
                .with(DRY_RUN, GROUP, OBJECT, OLD_OBJECT, OPERATION, REVIEW, SUB_RESOURCE, USER);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        if (Stream.of(OBJECT, OLD_OBJECT)
                .allMatch(option -> arguments.value(option).equals(Optional.of("-")))) {
            throw new CommandException("only one of the objects can come from standard input");
        }
        var catalogue = new ResourceTypeTable(session);
        var object = arguments.value(OBJECT).map(name -> read(name, session));
        var oldObject = arguments.value(OLD_OBJECT).map(name -> read(name, session));
        var operation = Operation.valueOf(arguments.required(OPERATION));

        var offline = AdmissionRequests.of(operation, object, oldObject, catalogue.cached());
        var scaffold = offline.resourceIsKnown()
                ? offline
                : catalogue
                        .discover()
                        .map(found -> AdmissionRequests.of(operation, object, oldObject, found))
                        .orElse(offline);
        if (!scaffold.resourceIsKnown()) {
            log.warn("The kind is not built into Kubernetes and no cluster knows it:"
                    + " replace the placeholder of the resource's plural name");
        }
        var request = withDetails(scaffold.request(), arguments);
        session.out().print(OutputFormat.prettyJson(arguments.has(REVIEW) ? review(request) : request));
        return KwctlExitCode.SUCCESS;
    }

    private static ObjectNode withDetails(ObjectNode request, ParsedArguments arguments) {
        if (arguments.has(GROUP)) {
            var groups = request.withObject("/userInfo").putArray("groups");
            arguments.values(GROUP).forEach(groups::add);
        }
        arguments.value(USER).ifPresent(name -> request.withObject("/userInfo").put("username", name));
        arguments
                .value(SUB_RESOURCE)
                .ifPresent(name -> request.put("subResource", name).put("requestSubResource", name));
        if (arguments.has(DRY_RUN)) {
            request.put("dryRun", true);
        }
        return request;
    }

    private static ObjectNode review(ObjectNode request) {
        var review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        review.set("request", request);
        return review;
    }

    private static JsonNode read(String file, CommandSession session) {
        try {
            return YamlDocuments.parse(TextFile.readOrStandardInput(file, session, "cannot read file " + file));
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }
}
