package io.portcullis.audit;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Number of list requests per resource, from the metrics of the API server.
 *
 * @param successful successful requests by resource
 * @param expired requests that failed with 410 Gone, by resource
 */
record ListCalls(Map<String, Long> successful, Map<String, Long> expired) {

    private static final Pattern LINE =
            Pattern.compile("apiserver_request_total\\{(?<labels>[^}]*)} (?<count>[0-9.e+]+)");
    private static final Pattern RESOURCE = Pattern.compile("[{,]resource=\"([^\"]*)\"");

    static ListCalls now(KubernetesClient client) {
        Map<String, Long> successful = new HashMap<>();
        Map<String, Long> expired = new HashMap<>();
        var lines = LINE.matcher(client.raw("/metrics"));
        while (lines.find()) {
            var labels = "{" + lines.group("labels");
            var resource = RESOURCE.matcher(labels);
            if (labels.contains("verb=\"LIST\"") && resource.find()) {
                var count = (long) Double.parseDouble(lines.group("count"));
                (labels.contains("code=\"410\"") ? expired : successful).merge(resource.group(1), count, Long::sum);
            }
        }
        return new ListCalls(successful, expired);
    }

    /** Returns the number of successful list requests. */
    long of(String resource) {
        return successful.getOrDefault(resource, 0L);
    }

    long expiredOf(String resource) {
        return expired.getOrDefault(resource, 0L);
    }
}
