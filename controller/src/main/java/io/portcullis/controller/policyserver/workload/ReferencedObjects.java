package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The Secrets and ConfigMaps that pods read only at start.
 *
 * @param problems why pods could not start, one text for each; with problems, nothing is rolled out
 * @param configHash of their content and of {@code sources.yml}; a change rolls the pods. Not a resourceVersion, so
 *     that a restored backup restarts nothing
 */
public record ReferencedObjects(List<String> problems, String configHash) {

    static final String VERIFICATION_KEY = "verification-config";
    static final String SIGSTORE_TRUST_KEY = "sigstore-trust-config";
    static final String DOCKER_CONFIG_KEY = ".dockerconfigjson";
    static final String CLIENT_CA_KEY = "client-ca.crt";

    private static final String ANY_KEY = "";

    /** One referenced object. */
    public record Reference(String field, boolean isSecret, String name, String key) {

        private String description() {
            return (isSecret ? "Secret " : "ConfigMap ") + name;
        }
    }

    /** The references of a server, its own fields first. */
    public static List<Reference> of(ServerSpec serverSpec) {
        var found = new ArrayList<Reference>();
        var sources = serverSpec.spec().sources();
        add(found, "spec.imagePullSecret", true, sources.imagePullSecret(), DOCKER_CONFIG_KEY);
        add(found, "spec.verificationConfig", false, sources.verificationConfig(), VERIFICATION_KEY);
        add(found, "spec.sigstoreTrustConfig", false, sources.sigstoreTrustConfig(), SIGSTORE_TRUST_KEY);
        var settings = serverSpec.settings();
        add(found, "client CA", false, settings.clientCaConfigMap().orElse(null), CLIENT_CA_KEY);
        var telemetry = settings.telemetry();
        if (telemetry.isSentToCollector()) {
            add(found, "collector", true, telemetry.certificateSecret().orElse(null), ANY_KEY);
            add(
                    found,
                    "collector client",
                    true,
                    telemetry.clientCertificateSecret().orElse(null),
                    ANY_KEY);
        }
        return found;
    }

    private static void add(List<Reference> found, String field, boolean isSecret, @Nullable String name, String key) {
        if (name != null && !name.isEmpty()) {
            found.add(new Reference(field, isSecret, name, key));
        }
    }

    /** Returns whether the server refers to this Secret or ConfigMap. */
    public static boolean isReader(ServerSpec serverSpec, String name, boolean isSecret) {
        return of(serverSpec).stream()
                        .anyMatch(reference -> reference.isSecret() == isSecret
                                && reference.name().equals(name))
                || SourceAuthorities.isReader(serverSpec, name, isSecret);
    }

    /**
     * Resolves all references; both functions find an object by name.
     *
     * @param authorities the certificates that {@code sources.yml} gets
     */
    public static ReferencedObjects resolve(
            ServerSpec serverSpec,
            SourceAuthorities authorities,
            Function<String, Optional<Secret>> secrets,
            Function<String, Optional<ConfigMap>> configMaps) {
        var problems = new ArrayList<>(authorities.blocking().stream()
                .map(SourceAuthorities.Problem::toString)
                .toList());
        var content = JsonNodeFactory.instance.objectNode();
        if (serverSpec.hasSources()) {
            content.put(
                    SourcesFile.NAME,
                    SourcesFile.of(serverSpec.spec().sources().insecureSources(), authorities.byHost()));
        }
        for (Reference reference : of(serverSpec)) {
            var data = reference.isSecret()
                    ? secrets.apply(reference.name()).map(ReferencedObjects::data)
                    : configMaps.apply(reference.name()).map(ReferencedObjects::data);
            if (data.isEmpty()) {
                problems.add(reference.field() + ": " + reference.description() + " does not exist");
            } else if (reference.key().equals(ANY_KEY)) {
                content.set(reference.field(), data.get());
            } else if (data.get().has(reference.key())) {
                content.set(reference.field(), data.get().get(reference.key()));
            } else {
                problems.add(reference.field() + ": " + reference.description() + " has no key " + reference.key());
            }
        }
        return new ReferencedObjects(List.copyOf(problems), CanonicalJson.digest(content));
    }

    private static ObjectNode data(Secret secret) {
        return data(secret.getData());
    }

    private static ObjectNode data(ConfigMap map) {
        var data = data(map.getData());
        return data.setAll(data(map.getBinaryData()));
    }

    private static ObjectNode data(@Nullable Map<String, String> entries) {
        var data = JsonNodeFactory.instance.objectNode();
        Objects.requireNonNullElse(entries, Map.<String, String>of()).forEach(data::put);
        return data;
    }
}
