package io.portcullis.artifacts.source;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Selects the proxy for a host.
 *
 * @param exceptions hosts without a proxy: names including their subdomains, addresses, CIDR ranges, or {@code *}
 */
public record Proxies(Optional<URI> http, Optional<URI> https, List<String> exceptions) {

    public static final Proxies NONE = new Proxies(Optional.empty(), Optional.empty(), List.of());

    public Proxies {
        exceptions = List.copyOf(exceptions);
    }

    /** Reads the conventional variables. Lower case takes precedence, as in curl. */
    public static Proxies fromEnvironment(Map<String, String> environment) {
        return new Proxies(
                variable(environment, "http_proxy").map(Proxies::address),
                variable(environment, "https_proxy").map(Proxies::address),
                variable(environment, "no_proxy").map(Proxies::list).orElse(List.of()));
    }

    static Proxies fromYaml(JsonNode node) {
        return new Proxies(
                text(node, "http_proxy").map(Proxies::address),
                text(node, "https_proxy").map(Proxies::address),
                text(node, "no_proxy").map(Proxies::list).orElse(List.of()));
    }

    /** Returns the proxy for a URL, if any. */
    public Optional<URI> proxyFor(URI target) {
        var host = target.getHost();
        if (host == null || exceptions.stream().anyMatch(rule -> covers(rule, host))) {
            return Optional.empty();
        }
        return "https".equals(target.getScheme()) ? https : http;
    }

    private static boolean covers(String rule, String host) {
        if (rule.equals("*")) {
            return true;
        }
        if (rule.contains("/")) {
            return CidrRange.parse(rule).map(range -> range.contains(host)).orElse(false);
        }
        var domain = rule.startsWith(".") ? rule.substring(1) : rule;
        var name = host.toLowerCase(Locale.ROOT);
        return name.equals(domain) || name.endsWith("." + domain);
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .or(() -> Optional.ofNullable(environment.get(name.toUpperCase(Locale.ROOT))))
                .filter(value -> !value.isBlank());
    }

    private static Optional<String> text(JsonNode node, String key) {
        return Optional.ofNullable(node.get(key)).map(JsonNode::asText).filter(value -> !value.isBlank());
    }

    private static List<String> list(String text) {
        return Arrays.stream(text.split(","))
                .map(rule -> rule.strip().toLowerCase(Locale.ROOT))
                .filter(rule -> !rule.isEmpty())
                .toList();
    }

    private static URI address(String text) {
        try {
            var uri = URI.create(text.contains("://") ? text : "http://" + text);
            if (uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Omit the value, because proxy URLs may contain passwords.
        }
        throw new ArtifactException(Reason.INVALID_REFERENCE, "a proxy setting is not a URL with a host");
    }

    /** Returns a text without proxy passwords. */
    @Override
    public String toString() {
        return "Proxies[http=" + http.map(URI::getHost) + ", https=" + https.map(URI::getHost) + ", exceptions="
                + exceptions + "]";
    }
}
