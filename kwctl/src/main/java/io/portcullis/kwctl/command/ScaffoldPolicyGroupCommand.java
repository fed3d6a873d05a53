package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.group.GroupTargets;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.manifest.PolicyManifests;
import io.portcullis.kwctl.manifest.PolicyManifests.Configured;
import io.portcullis.kwctl.manifest.PolicyManifests.Kind;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.SettingsOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold policy-group}: prints a resource that deploys a policy group. */
public final class ScaffoldPolicyGroupCommand implements Command {

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::policy_group");

    public static final String SUMMARY = "Output a Kubernetes resource manifest of a policy group";

    private static final Option ALLOW_DIFFERENT_RESOURCES = Option.flag(
            "allow-different-resources",
            "Scaffold the rules of all members together although the members are made for different resources");
    private static final Option EXPRESSION = Option.one(
            "expression",
            "CEL",
            "When the group accepts, for example 'a() && (b() || !c())' [default: all members accept]");
    private static final Option MEMBER_SETTINGS =
            Option.many("member-settings", "NAME=FILE", "Settings of one member, YAML or JSON; may be repeated");
    private static final Option MESSAGE = Option.one("message", "TEXT", "What users see when the group rejects")
            .withDefault("the request was rejected by the policy group");
    private static final Option TITLE =
            Option.one("title", "VALUE", "Name of the resource").required();
    private static final Option TYPE = Option.choice(
                    "type",
                    "VALUE",
                    List.of(Kind.CLUSTER_ADMISSION_POLICY_GROUP.wireName(), Kind.ADMISSION_POLICY_GROUP.wireName()),
                    "Kubewarden Custom Resource type")
            .withShort('t')
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold policy-group", SUMMARY)
                .describedBy("""
                        The expression is checked: it may use nothing but the members' names as functions, &&, ||, !, == and
                        parentheses. The members must be made for the same resources, as the rules in their metadata say.""")
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(ScaffoldManifestCommand.ALLOW_CONTEXT_AWARE, ALLOW_DIFFERENT_RESOURCES)
                .with(EXPRESSION, MEMBER_SETTINGS, MESSAGE)
                .with(PolicyLocation.OFFLINE, TITLE, TYPE)
                .taking(Positional.oneOrMore(
                        "name=policy", "A member: its name in the expression, and its URI, path or SHA prefix"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var members = pairs(arguments.positionals());
        var settings = pairs(arguments.values(MEMBER_SETTINGS));
        settings.keySet().stream()
                .filter(name -> !members.containsKey(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new CommandException("--member-settings: '" + name + "' is not a member");
                });
        var used = arguments
                .value(EXPRESSION)
                .map(text -> GroupExpression.parse(text, members.keySet()).usedMembers())
                .orElse(members.keySet());

        var configured = new LinkedHashMap<String, Configured>();
        try (var source = new PolicyLocation(arguments, session)) {
            members.forEach((name, policy) ->
                    configured.put(name, configured(source, policy, settings(settings.get(name), session), arguments)));
        }
        checkResources(configured, used, arguments.has(ALLOW_DIFFERENT_RESOURCES));
        session.out()
                .print(YamlText.of(PolicyManifests.group(
                        Kind.of(arguments.required(TYPE)),
                        configured,
                        arguments.value(EXPRESSION),
                        arguments.orDefault(MESSAGE),
                        arguments.required(TITLE))));
        return KwctlExitCode.SUCCESS;
    }

    /** The group gets the rules of all members, so it would send each member what the others are made for. */
    private static void checkResources(Map<String, Configured> members, Set<String> used, boolean isAllowed) {
        var declared = new LinkedHashMap<String, List<PolicyMetadata.Rule>>();
        members.forEach((name, member) -> declared.put(name, member.metadata().rules()));
        var gaps = GroupTargets.of(Optional.empty(), declared).gapsOfUnion();
        declared.keySet().retainAll(used);
        var problem = GroupTargets.of(Optional.empty(), declared).problem();
        if (!isAllowed && !gaps.isEmpty()) {
            throw new CommandException("the members are made for different resources: " + String.join(", ", gaps)
                    + "; write the rules of the group yourself, or scaffold the rules of all members with --"
                    + ALLOW_DIFFERENT_RESOURCES.longName());
        }
        problem.ifPresent(text ->
                log.warn("Policy servers refuse this group, because its expression can never be meaningful: {}", text));
    }

    private static Configured configured(
            PolicyLocation source, String policy, ObjectNode settings, ParsedArguments arguments) {
        var grants = arguments.has(ScaffoldManifestCommand.ALLOW_CONTEXT_AWARE);
        var uri = source.locate(policy);
        var metadata = ScaffoldManifestCommand.metadata(source.bytes(uri), policy);
        ScaffoldManifestCommand.warnAboutContext(metadata, grants);
        return new Configured(uri.toString(), settings, metadata, grants);
    }

    private static ObjectNode settings(@Nullable String file, CommandSession session) {
        return file == null ? JsonNodeFactory.instance.objectNode() : SettingsOptions.fromFile(file, session);
    }

    private static Map<String, String> pairs(List<String> words) {
        var pairs = new LinkedHashMap<String, String>();
        for (var word : words) {
            var equals = word.indexOf('=');
            if (equals <= 0 || pairs.put(word.substring(0, equals), word.substring(equals + 1)) != null) {
                throw new CommandException("'" + word + "': expected NAME=VALUE, each name once");
            }
        }
        return pairs;
    }
}
