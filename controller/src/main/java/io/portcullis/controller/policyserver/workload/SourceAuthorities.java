package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.portcullis.api.policyserver.PolicyServerSpec.AuthoritySource;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of {@code spec.sourceAuthorities} and {@code spec.sourceAuthoritiesFrom}, by host. When a reference of a
 * host cannot be resolved, the host keeps the certificates that the live {@code sources.yml} has for it.
 *
 * <p>Only certificates are taken from a Secret. Other content of the key, such as a private key, is never copied.
 *
 * @param byHost certificates in PEM
 * @param problems the references that cannot be resolved, ordered by host
 * @param isReferring whether the spec has references
 */
public record SourceAuthorities(Map<String, List<String>> byHost, List<Problem> problems, boolean isReferring) {

    /** Maximum size of the content of one key. The bundle of all public authorities has about 220 KiB. */
    static final int MAX_BYTES = 256 * 1024;

    /** Maximum size of the certificates of all references. A ConfigMap has at most 1 MiB. */
    static final int MAX_TOTAL = 512 * 1024;

    private static final JsonMapper MAPPER = new JsonMapper();

    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([^-]*+)-----END CERTIFICATE-----");

    public SourceAuthorities {
        byHost = Map.copyOf(byHost);
        problems = List.copyOf(problems);
    }

    /** Why a reference cannot be resolved. */
    public enum Cause {
        NOT_FOUND("ReferenceNotFound"),
        NO_KEY("KeyNotFound"),
        NO_CERTIFICATE("InvalidCertificate"),
        TOO_LARGE("TooLarge");

        private final String reason;

        Cause(String reason) {
            this.reason = reason;
        }

        /** The reason of the condition. */
        public String reason() {
            return reason;
        }
    }

    /**
     * A reference that cannot be resolved.
     *
     * @param hasLastGood whether the host keeps the certificates that are in use
     */
    public record Problem(Cause cause, String text, boolean hasLastGood) {

        @Override
        public String toString() {
            return hasLastGood ? text + "; the last certificates stay in use" : text;
        }
    }

    /** A key of a Secret or ConfigMap. */
    private record KeySource(boolean isSecret, String name, String key) {

        static Optional<KeySource> of(AuthoritySource source) {
            var map = source.configMapKeyRef();
            var secret = source.secretKeyRef();
            if ((map == null) == (secret == null)) {
                return Optional.empty();
            }
            var reference = map == null ? Objects.requireNonNull(secret) : map;
            return Optional.of(new KeySource(map == null, reference.name(), reference.key()));
        }

        String description() {
            return (isSecret ? "Secret " : "ConfigMap ") + name;
        }
    }

    private static final class UnresolvedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final Cause reason;

        UnresolvedException(Cause reason, String message) {
            super(message);
            this.reason = reason;
        }
    }

    /** Returns whether the spec refers to this Secret or ConfigMap. */
    static boolean isReader(ServerSpec serverSpec, String name, boolean isSecret) {
        return serverSpec.spec().sources().sourceAuthoritiesFrom().values().stream()
                .flatMap(List::stream)
                .flatMap(source -> KeySource.of(source).stream())
                .anyMatch(
                        source -> source.isSecret() == isSecret && source.name().equals(name));
    }

    /** Returns the problems of hosts without certificates in use. No pod can start with them. */
    public List<Problem> blocking() {
        return problems.stream().filter(problem -> !problem.hasLastGood()).toList();
    }

    /** Resolves all references; both functions find an object by name in the namespace of the policy servers. */
    public static SourceAuthorities resolve(
            ServerSpec serverSpec,
            Function<String, Optional<Secret>> secrets,
            Function<String, Optional<ConfigMap>> configMaps) {
        var sources = serverSpec.spec().sources();
        var references = new TreeMap<>(sources.sourceAuthoritiesFrom());
        var byHost = new TreeMap<>(sources.sourceAuthorities());
        if (references.isEmpty()) {
            return new SourceAuthorities(byHost, List.of(), false);
        }
        var live = live(configMaps.apply(serverSpec.names().main()));
        var problems = new ArrayList<Problem>();
        int total = 0;
        for (var entry : references.entrySet()) {
            var host = entry.getKey();
            var certificates = new ArrayList<>(byHost.getOrDefault(host, List.of()));
            var unresolved = new TreeMap<String, UnresolvedException>();
            for (int i = 0; i < entry.getValue().size(); i++) {
                try {
                    var found = certificates(entry.getValue().get(i), secrets, configMaps);
                    total += found.stream().mapToInt(String::length).sum();
                    if (total > MAX_TOTAL) {
                        throw new UnresolvedException(
                                Cause.TOO_LARGE,
                                "the certificates of all references have more than %d bytes".formatted(MAX_TOTAL));
                    }
                    certificates.addAll(found);
                } catch (UnresolvedException e) {
                    unresolved.put("spec.sourceAuthoritiesFrom[%s][%d]: ".formatted(host, i), e);
                }
            }
            if (unresolved.isEmpty()) {
                byHost.put(host, certificates);
            } else {
                var lastGood = texts(live.path(host));
                byHost.put(host, lastGood);
                unresolved.forEach(
                        (path, e) -> problems.add(new Problem(e.reason, path + e.getMessage(), !lastGood.isEmpty())));
            }
        }
        return new SourceAuthorities(byHost, problems, true);
    }

    private static List<String> certificates(
            AuthoritySource source,
            Function<String, Optional<Secret>> secrets,
            Function<String, Optional<ConfigMap>> configMaps)
            throws UnresolvedException {
        var reference = KeySource.of(source)
                .orElseThrow(() -> new UnresolvedException(
                        Cause.NOT_FOUND, "must have exactly one of configMapKeyRef and secretKeyRef"));
        var content = reference.isSecret()
                ? secrets.apply(reference.name()).map(secret -> Content.of(secret, reference.key()))
                : configMaps.apply(reference.name()).map(map -> Content.of(map, reference.key()));
        if (content.isEmpty()) {
            throw new UnresolvedException(Cause.NOT_FOUND, reference.description() + " does not exist");
        }
        var where = reference.description() + " key " + reference.key();
        return switch (content.get()) {
            case Content.Absent _ ->
                throw new UnresolvedException(Cause.NO_KEY, reference.description() + " has no key " + reference.key());
            case Content.TooLarge _ ->
                throw new UnresolvedException(Cause.TOO_LARGE, "%s has more than %d bytes".formatted(where, MAX_BYTES));
            case Content.Text text -> certificates(text.value(), where);
        };
    }

    /** The content of a key. */
    private sealed interface Content {

        record Absent() implements Content {}

        record TooLarge() implements Content {}

        record Text(String value) implements Content {}

        static Content of(Secret secret, String key) {
            return decoded(value(secret.getData(), key));
        }

        static Content of(ConfigMap map, String key) {
            var text = value(map.getData(), key);
            if (text == null) {
                return decoded(value(map.getBinaryData(), key));
            }
            return text.length() > MAX_BYTES ? new TooLarge() : new Text(text);
        }

        private static @Nullable String value(@Nullable Map<String, String> data, String key) {
            return data == null ? null : data.get(key);
        }

        private static Content decoded(@Nullable String base64) {
            if (base64 == null) {
                return new Absent();
            }
            // Padding stands for up to two bytes.
            if (base64.length() / 4 * 3 - 2 > MAX_BYTES) {
                return new TooLarge();
            }
            try {
                return new Text(new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1));
            } catch (IllegalArgumentException e) {
                return new Text(""); // the API server stores only base64
            }
        }
    }

    /** Returns the certificates of a PEM text, encoded again, so that nothing else of the text is copied. */
    private static List<String> certificates(String text, String where) throws UnresolvedException {
        var certificates = new ArrayList<String>();
        var matcher = CERTIFICATE.matcher(text);
        while (matcher.find()) {
            try {
                var der = Base64.getMimeDecoder().decode(matcher.group(1));
                var certificate =
                        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
                certificates.add(pem(certificate.getEncoded()));
            } catch (IllegalArgumentException | CertificateException e) {
                throw new UnresolvedException(
                        Cause.NO_CERTIFICATE,
                        "%s: certificate %d cannot be read".formatted(where, certificates.size() + 1));
            }
        }
        if (certificates.isEmpty()) {
            throw new UnresolvedException(Cause.NO_CERTIFICATE, where + " has no PEM certificate");
        }
        return certificates;
    }

    private static String pem(byte[] der) {
        var body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    }

    /** The certificates in use, by host, as {@link SourcesFile} writes them. */
    private static JsonNode live(Optional<ConfigMap> map) {
        try {
            var text = map.flatMap(found -> Optional.ofNullable(found.getData()))
                    .flatMap(data -> Optional.ofNullable(data.get(SourcesFile.NAME)));
            return text.isEmpty()
                    ? MissingNode.getInstance()
                    : MAPPER.readTree(text.get()).path(SourcesFile.AUTHORITIES);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    private static List<String> texts(JsonNode authorities) {
        var texts = new ArrayList<String>();
        authorities.forEach(authority -> {
            if (authority.path("data").isTextual()) {
                texts.add(authority.path("data").asText());
            }
        });
        return texts;
    }
}
