package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.store.StoredPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.output.ByteSize;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.output.Table;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;
import java.util.Optional;

/** {@code kwctl policies}: lists the policies in the store. */
public final class PoliciesCommand implements Command {

    public static final String SUMMARY = "List all downloaded policies";

    private static final Option OUTPUT = OutputFormat.option();
    private static final List<String> HEADING = List.of("Policy", "Mutating", "Context aware", "SHA-256", "Size");
    private static final int SHORT_DIGEST = 12;

    /** A row of the listing. A module without readable metadata leaves the middle columns empty. */
    private record Row(String uri, Optional<PolicyMetadata> metadata, String sha256, long size) {

        static Row of(StoredPolicy policy) {
            var digest = policy.digest();
            return new Row(
                    policy.uri().toString(),
                    metadata(policy),
                    digest.substring(digest.indexOf(':') + 1),
                    policy.size());
        }

        private static Optional<PolicyMetadata> metadata(StoredPolicy policy) {
            try {
                return PolicyMetadata.of(policy.bytes());
            } catch (PolicyLoadException _) {
                // One invalid module must not hide the other policies.
                return Optional.empty();
            }
        }

        List<String> cells() {
            return List.of(
                    uri,
                    yesNoUnknown(metadata.map(PolicyMetadata::mutating)),
                    yesNoUnknown(
                            metadata.map(known -> !known.contextAwareResources().isEmpty())),
                    sha256.substring(0, SHORT_DIGEST),
                    ByteSize.of(size));
        }

        private static String yesNoUnknown(Optional<Boolean> value) {
            return value.map(known -> known ? "yes" : "no").orElse("unknown");
        }
    }

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl policies", SUMMARY).with(OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var rows = new PolicyStore(session.directories().store())
                .list().stream().map(Row::of).toList();
        var format = OutputFormat.of(arguments.orDefault(OUTPUT));
        if (format == OutputFormat.TABLE && rows.isEmpty()) {
            return KwctlExitCode.SUCCESS;
        }
        var data = JsonNodeFactory.instance.arrayNode();
        rows.forEach(row -> {
            var node = data.addObject().put("policy", row.uri());
            row.metadata()
                    .ifPresent(known -> node.put("mutating", known.mutating())
                            .put("contextAware", !known.contextAwareResources().isEmpty()));
            node.put("sha256", row.sha256()).put("size", row.size());
        });
        session.out()
                .print(format.render(
                        data,
                        Table.bordered(HEADING, rows.stream().map(Row::cells).toList())));
        return KwctlExitCode.SUCCESS;
    }
}
