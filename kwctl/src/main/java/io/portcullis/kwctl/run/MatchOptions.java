package io.portcullis.kwctl.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.match.MatchCheck;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The options that limit an evaluation to the policies that a cluster would call. By default all policies of a file run,
 * because scripts depend on it.
 */
public final class MatchOptions {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    private static final Option MATCH = Option.flag(
            "match",
            "Pass over policies of the YAML file whose rules, selectors or matchConditions do not match the request");
    public static final Option NAMESPACE_LABEL = Option.many(
            "namespace-label",
            "KEY=VALUE",
            "A label of the request's namespace, for policies that select namespaces; may be repeated");

    static final List<Option> OPTIONS = List.of(MATCH, NAMESPACE_LABEL);

    private MatchOptions() {}

    static void rejectWithoutFile(ParsedArguments arguments) {
        if (arguments.has(MATCH)) {
            throw new CommandException("--match needs a YAML file: a module alone has no rules");
        }
    }

    /** Returns the policies that a cluster would call, or all policies without {@code --match}. */
    static List<PolicyFile.Definition> wanted(
            List<PolicyFile.Definition> definitions, RequestDocument request, ParsedArguments arguments) {
        if (!arguments.has(MATCH)) {
            return definitions;
        }
        var labels = labels(arguments.values(NAMESPACE_LABEL));
        var asked = new ArrayList<PolicyFile.Definition>();
        for (var definition : definitions) {
            if (matches(definition, request.admissionRequest(), labels)) {
                asked.add(definition);
            }
        }
        return asked;
    }

    private static boolean matches(PolicyFile.Definition definition, JsonNode request, Map<String, String> labels) {
        var reason = MatchCheck.of(definition.resource()).reasonToSkip(request, labels);
        reason.ifPresent(
                why -> log.atInfo().addKeyValue("policy", definition.id()).log("Policy is not asked: {}", why));
        return reason.isEmpty();
    }

    /** Parses labels of the form {@code KEY=VALUE}. */
    public static Map<String, String> labels(List<String> pairs) {
        var labels = new TreeMap<String, String>();
        for (var pair : pairs) {
            var equals = pair.indexOf('=');
            if (equals < 1) {
                throw new CommandException("'" + pair + "' is not a label: KEY=VALUE is expected");
            }
            labels.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return labels;
    }
}
