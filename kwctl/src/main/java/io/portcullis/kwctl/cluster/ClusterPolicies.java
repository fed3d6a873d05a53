package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the policies of a cluster, so that other commands evaluate new objects with them. */
public final class ClusterPolicies {

    private static final Logger log = LoggerFactory.getLogger("kwctl::cluster");

    private static final Option FROM_CLUSTER =
            Option.flag("from-cluster", "Ask the policies of the cluster that the kubeconfig names");

    public static final List<Option> OPTIONS = List.of(FROM_CLUSTER, ClusterOptions.KUBECONFIG, ClusterOptions.CONTEXT);

    private ClusterPolicies() {}

    public static boolean wanted(ParsedArguments arguments) {
        return arguments.has(FROM_CLUSTER);
    }

    /** Returns the policies as they are stored in the cluster. Logs and leaves out the policies that the user may not read. */
    public static List<JsonNode> read(ParsedArguments arguments, CommandSession session) {
        try (var cluster = Cluster.of(arguments, session)) {
            var listing = cluster.policies(PolicyScope.ALL);
            listing.remarks().forEach(log::warn);
            var resources = new ArrayList<JsonNode>();
            for (var policy : listing.policies()) {
                resources.add(tree(Serialization.asJson(policy)));
            }
            return resources;
        }
    }

    private static JsonNode tree(String json) {
        try {
            return new JsonMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("our own JSON", e);
        }
    }
}
