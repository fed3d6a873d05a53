package io.portcullis.core.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.core.status.Facts.Fidelity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares a live webhook configuration with the rendered one. Fields that the API server defaults do not count as
 * differences. Additional labels and annotations do not count either.
 */
public final class WebhookComparison {

    private static final JsonMapper MAPPER = new JsonMapper();

    /** Fields that decide whether requests arrive at the policy server. */
    private static final Set<String> ROUTE = Set.of("clientConfig", "admissionReviewVersions");

    private WebhookComparison() {}

    public static Fidelity compare(HasMetadata desired, HasMetadata live) {
        if (!desired.getKind().equals(live.getKind())) {
            return new Fidelity.Misrouted("kind");
        }
        var wanted = entries(desired);
        var found = entries(live);
        if (wanted.size() != found.size()) {
            return new Fidelity.Misrouted("number of webhooks");
        }
        var differences = new TreeSet<String>();
        for (int i = 0; i < wanted.size(); i++) {
            differences.addAll(differences(wanted.get(i), found.get(i)));
        }
        if (differences.stream().anyMatch(ROUTE::contains)) {
            return new Fidelity.Misrouted(String.join(", ", differences));
        }
        if (!contains(live.getMetadata().getAnnotations(), desired.getMetadata().getAnnotations())) {
            differences.add("annotations");
        }
        if (!contains(live.getMetadata().getLabels(), desired.getMetadata().getLabels())) {
            differences.add("labels");
        }
        return differences.isEmpty() ? new Fidelity.Exact() : new Fidelity.Drifted(String.join(", ", differences));
    }

    private static List<ObjectNode> entries(HasMetadata configuration) {
        var entries = new ArrayList<ObjectNode>();
        JsonNode webhooks = MAPPER.valueToTree(
                switch (configuration) {
                    case ValidatingWebhookConfiguration validating -> validating.getWebhooks();
                    case MutatingWebhookConfiguration mutating -> mutating.getWebhooks();
                    default -> List.of();
                });
        for (JsonNode webhook : webhooks) {
            if (webhook instanceof ObjectNode entry) {
                entries.add(withDefaults(entry, configuration instanceof MutatingWebhookConfiguration));
            }
        }
        return entries;
    }

    /** Sets the defaults that the API server would set. */
    private static ObjectNode withDefaults(ObjectNode entry, boolean isMutating) {
        fill(entry, "failurePolicy", "Fail");
        fill(entry, "matchPolicy", "Equivalent");
        if (isMutating) {
            fill(entry, "reinvocationPolicy", "Never");
        }
        if (!entry.has("timeoutSeconds")) {
            entry.put("timeoutSeconds", 10);
        }
        entry.path("rules").forEach(rule -> fill((ObjectNode) rule, "scope", "*"));
        return prune(entry);
    }

    private static void fill(ObjectNode object, String field, String value) {
        if (!object.has(field)) {
            object.put(field, value);
        }
    }

    /** Removes empty selectors and lists, because they are equivalent to absent ones. */
    private static ObjectNode prune(ObjectNode object) {
        var pruned = JsonNodeFactory.instance.objectNode();
        object.properties().forEach(field -> {
            var value = field.getValue() instanceof ObjectNode inner ? prune(inner) : field.getValue();
            if (!value.isNull() && !(value.isContainerNode() && value.isEmpty())) {
                pruned.set(field.getKey(), value);
            }
        });
        return pruned;
    }

    private static Set<String> differences(ObjectNode wanted, ObjectNode found) {
        var fields = new TreeSet<String>();
        wanted.fieldNames().forEachRemaining(fields::add);
        found.fieldNames().forEachRemaining(fields::add);
        fields.removeIf(field -> CanonicalJson.text(wanted.path(field)).equals(CanonicalJson.text(found.path(field))));
        return fields;
    }

    private static boolean contains(@Nullable Map<String, String> live, Map<String, String> wanted) {
        return Objects.requireNonNullElse(live, Map.<String, String>of())
                .entrySet()
                .containsAll(wanted.entrySet());
    }
}
