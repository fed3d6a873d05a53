package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.manifest.VapConversion;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold vap}: converts a ValidatingAdmissionPolicy into a Kubewarden policy. */
public final class ScaffoldVapCommand implements Command {

    public static final String SUMMARY =
            "Convert a Kubernetes ValidatingAdmissionPolicy into a Kubewarden ClusterAdmissionPolicy";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::vap");

    private static final Option BINDING = Option.one(
                    "binding",
                    "VALIDATING-ADMISSION-POLICY-BINDING.yaml",
                    "File with the ValidatingAdmissionPolicyBinding")
            .withShort('b')
            .required();
    private static final Option CEL_POLICY = Option.one("cel-policy", "URI", "The CEL policy module to use")
            .withDefault("ghcr.io/kubewarden/policies/cel-policy:latest");
    private static final Option POLICY = Option.one(
                    "policy", "VALIDATING-ADMISSION-POLICY.yaml", "File with the ValidatingAdmissionPolicy")
            .withShort('p')
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold vap", SUMMARY).with(BINDING, CEL_POLICY, POLICY);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var conversion = VapConversion.of(
                read(arguments.required(POLICY), "ValidatingAdmissionPolicy", session),
                read(arguments.required(BINDING), "ValidatingAdmissionPolicyBinding", session),
                arguments.orDefault(CEL_POLICY));
        conversion.warnings().forEach(log::warn);
        session.out().print(YamlText.of(conversion.resource()));
        return KwctlExitCode.SUCCESS;
    }

    private static JsonNode read(String file, String kind, CommandSession session) {
        try {
            var documents = YamlDocuments.parseAll(TextFile.read(session.path(file), "cannot open " + file));
            // One file may contain both resources.
            return documents.stream()
                    .filter(document -> documents.size() == 1
                            || document.path("kind").asText().equals(kind))
                    .findFirst()
                    .orElseThrow(() -> new CommandException("cannot convert given data into a " + kind));
        } catch (YamlException e) {
            throw new CommandException("cannot convert given data into a " + kind, e);
        }
    }
}
