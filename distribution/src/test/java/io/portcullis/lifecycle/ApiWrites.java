package io.portcullis.lifecycle;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Writes as the API server itself counts them, by verb and resource. Leases are renewed all the time and not counted. */
record ApiWrites(Map<String, Long> counts) {

    private static final Pattern LINE =
            Pattern.compile("apiserver_request_total\\{(?<labels>[^}]*)} (?<count>[0-9.e+]+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Set<String> VERBS = Set.of("POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION");

    /** Reviews and tokens change nothing. */
    private static final Set<String> NOT_COUNTED =
            Set.of("leases", "subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews", "serviceaccounts");

    static ApiWrites now(KubernetesClient client) {
        var counts = new TreeMap<String, Long>();
        var lines = LINE.matcher(client.raw("/metrics"));
        while (lines.find()) {
            var labels = new TreeMap<String, String>();
            var pairs = LABEL.matcher(lines.group("labels"));
            while (pairs.find()) {
                labels.put(pairs.group(1), pairs.group(2));
            }
            var verb = labels.getOrDefault("verb", "");
            var resource = labels.getOrDefault("resource", "");
            if (VERBS.contains(verb)
                    && !NOT_COUNTED.contains(resource)
                    && labels.getOrDefault("dry_run", "").isEmpty()
                    && labels.getOrDefault("code", "").startsWith("2")) {
                var subresource = labels.getOrDefault("subresource", "");
                counts.merge(
                        verb + " " + resource + (subresource.isEmpty() ? "" : "/" + subresource),
                        (long) Double.parseDouble(lines.group("count")),
                        Long::sum);
            }
        }
        return new ApiWrites(counts);
    }

    /** What came since. */
    ApiWrites since(ApiWrites earlier) {
        var differences = new TreeMap<String, Long>();
        counts.forEach((key, count) -> {
            long difference = count - earlier.counts.getOrDefault(key, 0L);
            if (difference != 0) {
                differences.put(key, difference);
            }
        });
        return new ApiWrites(differences);
    }

    long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
