package io.portcullis.audit;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How often resources were listed, as the API server itself counts.
 *
 * @param answered by resource
 * @param expired the ones that were answered with 410 Gone
 */
record ListCalls(Map<String, Long> answered, Map<String, Long> expired) {

    private static final Pattern LINE =
            Pattern.compile("apiserver_request_total\\{(?<labels>[^}]*)} (?<count>[0-9.e+]+)");
    private static final Pattern RESOURCE = Pattern.compile("[{,]resource=\"([^\"]*)\"");

    static ListCalls now(KubernetesClient client) {
        Map<String, Long> answered = new HashMap<>();
        Map<String, Long> expired = new HashMap<>();
        var lines = LINE.matcher(client.raw("/metrics"));
        while (lines.find()) {
            var labels = "{" + lines.group("labels");
            var resource = RESOURCE.matcher(labels);
            if (labels.contains("verb=\"LIST\"") && resource.find()) {
                var count = (long) Double.parseDouble(lines.group("count"));
                (labels.contains("code=\"410\"") ? expired : answered).merge(resource.group(1), count, Long::sum);
            }
        }
        return new ListCalls(answered, expired);
    }

    /** That were answered with a page. */
    long of(String resource) {
        return answered.getOrDefault(resource, 0L);
    }

    long expiredOf(String resource) {
        return expired.getOrDefault(resource, 0L);
    }
}
