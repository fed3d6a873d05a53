package io.portcullis.evaluator.host.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostJson;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.HostResult;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * A recorded session in the format of {@code kwctl}: a YAML list of exchanges. Each request is a separate YAML document
 * with the type of the request as its tag.
 */
public record RecordedSession(List<Exchange> exchanges) {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Map<String, Class<? extends HostRequest>> TYPES = Stream.of(
                    HostRequest.OciManifestDigest.class,
                    HostRequest.OciManifest.class,
                    HostRequest.OciManifestAndConfig.class,
                    HostRequest.SigstorePubKeyVerify.class,
                    HostRequest.SigstoreKeylessVerify.class,
                    HostRequest.SigstoreKeylessPrefixVerify.class,
                    HostRequest.SigstoreGithubActionsVerify.class,
                    HostRequest.SigstoreCertificateVerify.class,
                    HostRequest.DNSLookupHost.class,
                    HostRequest.KubernetesListResourceNamespace.class,
                    HostRequest.KubernetesListResourceAll.class,
                    HostRequest.KubernetesGetResource.class,
                    HostRequest.KubernetesGetResourcePluralName.class,
                    HostRequest.KubernetesCanI.class,
                    HostRequest.CryptoIsCertificateTrusted.class)
            .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

    public RecordedSession {
        exchanges = List.copyOf(exchanges);
    }

    /** @throws InvalidSessionException if the text is not a session */
    public static RecordedSession parse(String yaml) {
        var exchanges = new ArrayList<Exchange>();
        for (var item : list(yaml)) {
            var number = exchanges.size() + 1;
            if (!(item instanceof Map<?, ?> map) || !"Exchange".equals(map.get("type"))) {
                throw new InvalidSessionException("exchange " + number + ": expected type Exchange", null);
            }
            try {
                exchanges.add(new Exchange(request(text(map, "request")), result(map.get("response"))));
            } catch (YAMLException e) {
                throw new InvalidSessionException(
                        "exchange " + number + ": the request is not YAML: " + YamlProblem.of(e), e);
            } catch (HostCallException | IllegalArgumentException e) {
                throw new InvalidSessionException("exchange " + number + ": " + e.getMessage(), e);
            }
        }
        return new RecordedSession(exchanges);
    }

    private static List<?> list(String yaml) {
        try {
            Object document = loader().load(yaml);
            if (document == null) {
                return List.of();
            }
            if (document instanceof List<?> items) {
                return items;
            }
        } catch (YAMLException e) {
            throw new InvalidSessionException("the session is not YAML: " + YamlProblem.of(e), e);
        } catch (IllegalArgumentException e) { // SnakeYAML throws it for a tag that ends with an escaped space
            throw new InvalidSessionException("the session is not YAML: " + e.getMessage(), e);
        }
        throw new InvalidSessionException("the session is not a list of exchanges", null);
    }

    private static HostRequest request(String yaml) {
        var root = loader().compose(new StringReader(yaml));
        var name = root == null ? "" : root.getTag().getValue().replaceFirst("^!", "");
        var type = TYPES.get(name);
        if (type == null || !(root instanceof MappingNode)) {
            throw new IllegalArgumentException("unknown request " + name);
        }
        root.setTag(Tag.MAP);
        var body = yaml.strip();
        Object fields = loader().load(body.substring(body.indexOf(name) + name.length()));
        return HostJson.convert(JSON.valueToTree(fields), type);
    }

    private static HostResult result(@Nullable Object response) {
        if (!(response instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("the response is missing");
        }
        return switch (text(map, "type")) {
            case "Success" -> new HostResult.Success(text(map, "payload").getBytes(StandardCharsets.UTF_8));
            case "Error" -> new HostResult.Failure(text(map, "message"));
            case String other -> throw new IllegalArgumentException("unknown type of response " + other);
        };
    }

    private static String text(Map<?, ?> map, String key) {
        if (map.get(key) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(
                map.get(key) == null ? "the key " + key + " is missing" : "the key " + key + " is not a text");
    }

    public String toYaml() {
        var items = new ArrayList<Map<String, Object>>();
        for (var exchange : exchanges) {
            var item = new LinkedHashMap<String, Object>();
            item.put("type", "Exchange");
            item.put("request", tagged(exchange.request()));
            item.put("response", response(exchange.result()));
            items.add(item);
        }
        return dumper().dump(items);
    }

    private static String tagged(HostRequest request) {
        var fields = plain(HostJson.tree(request));
        return "!" + request.getClass().getSimpleName() + "\n" + dumper().dump(fields);
    }

    private static Object plain(JsonNode tree) {
        try {
            return JSON.treeToValue(tree, Object.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a host request cannot be converted to JSON", e);
        }
    }

    private static Map<String, Object> response(HostResult result) {
        var response = new LinkedHashMap<String, Object>();
        switch (result) {
            case HostResult.Success(var answer) -> {
                response.put("type", "Success");
                response.put("payload", new String(answer, StandardCharsets.UTF_8));
            }
            case HostResult.Failure(var message) -> {
                response.put("type", "Error");
                response.put("message", message);
            }
        }
        return response;
    }

    private static Yaml loader() {
        var options = new LoaderOptions();
        options.setCodePointLimit(256 << 20);
        options.setMaxAliasesForCollections(
                0); // recordings contain no aliases, and a list with an alias could contain itself
        return new Yaml(new SafeConstructor(options));
    }

    private static Yaml dumper() {
        var options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new Yaml(new LiteralBlocks(options), options);
    }

    /** Writes multi-line text as literal blocks, so that people can read and edit a session. */
    private static final class LiteralBlocks extends Representer {
        LiteralBlocks(DumperOptions options) {
            super(options);
            representers.put(String.class, data -> {
                var text = (String) data;
                var style =
                        text.indexOf('\n') >= 0 ? DumperOptions.ScalarStyle.LITERAL : DumperOptions.ScalarStyle.PLAIN;
                return representScalar(Tag.STR, text, style);
            });
        }
    }
}
