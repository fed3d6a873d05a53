package io.portcullis.core.validation;

import io.fabric8.kubernetes.api.model.Quantity;
import io.portcullis.api.capability.CapabilityPattern;
import io.portcullis.api.capability.CapabilityPattern.Problem;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Admission of PolicyServers. The caller looks up the objects that the server references. */
public final class PolicyServerValidation {

    private static final int MAX_EXISTING_NAME_LENGTH = 63;
    private static final String DOCKER_CONFIG = "kubernetes.io/dockerconfigjson";
    private static final String TRUST_KEY = "sigstore-trust-config";
    private static final String VERIFICATION_KEY = "verification-config";

    /** Number of policy names in a warning, because warnings are cut after 256 characters. */
    private static final int MAX_NAMES = 3;

    private final List<FieldError> errors = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private PolicyServerValidation() {}

    /** The result of the lookup of an object that a PolicyServer references by name. */
    public sealed interface Lookup {

        /** The PolicyServer references no object. */
        record Unused() implements Lookup {}

        record Failed(String cause) implements Lookup {}

        record Secret(String type) implements Lookup {}

        record ConfigMap(Set<String> keys) implements Lookup {}
    }

    /**
     * Lookup results of {@code spec.imagePullSecret}, {@code sigstoreTrustConfig} and {@code verificationConfig}.
     *
     * @param serviceAccountProblem why the server may not use its {@code spec.serviceAccountName}, see
     *     {@link PolicyServerAccount}; empty: it may
     */
    public record Lookups(
            Lookup imagePullSecret,
            Lookup sigstoreTrustConfig,
            Lookup verificationConfig,
            Optional<String> serviceAccountProblem) {

        public static final Lookups NONE =
                new Lookups(new Lookup.Unused(), new Lookup.Unused(), new Lookup.Unused(), Optional.empty());
    }

    public static Validation create(PolicyServer server, Lookups lookups) {
        return new PolicyServerValidation().validate(server, lookups, true);
    }

    /** Validates an update as a creation, except that objects admitted before these checks existed get only a warning. */
    public static Validation update(PolicyServer server, Lookups lookups) {
        return new PolicyServerValidation().validate(server, lookups, false);
    }

    /**
     * Validates a deletion. It is allowed, with a warning about the policies that lose enforcement.
     *
     * @param protecting number of bound policies in protect mode
     * @param isDefaultKept whether deletion of the server {@code default} is forbidden
     */
    public static Validation delete(String name, int protecting, boolean isDefaultKept) {
        if (isDefaultKept && name.equals(PolicySpec.DEFAULT_POLICY_SERVER)) {
            return Validation.refused(
                    FieldError.forbidden("metadata.name", "the default PolicyServer cannot be deleted"));
        }
        return protecting == 0
                ? Validation.FINE
                : new Validation(
                        List.of(),
                        List.of("%d policies in protect mode lose their enforcement with PolicyServer %s"
                                .formatted(protecting, name)));
    }

    /**
     * Returns a warning about policies that are not enforced while the server has no replicas.
     *
     * @param protecting names of the bound policies in protect mode
     */
    public static List<String> scaledToZero(String name, List<String> protecting) {
        if (protecting.isEmpty()) {
            return List.of();
        }
        var others = protecting.size() - MAX_NAMES;
        return List.of("%d policies in protect mode stop being enforced while PolicyServer %s has no replicas: %s%s"
                .formatted(
                        protecting.size(),
                        name,
                        String.join(", ", protecting.stream().limit(MAX_NAMES).toList()),
                        others > 0 ? " and " + others + " more" : ""));
    }

    private Validation validate(PolicyServer server, Lookups lookups, boolean isNew) {
        PolicyServerSpec spec;
        try {
            spec = server.read();
        } catch (FlatObject.MalformedException e) {
            return Validation.refused(new FieldError(FieldError.Type.INVALID, e.path(), e.problem()));
        }
        name(server.getMetadata().getName(), isNew);
        imagePullSecret(spec.sources(), lookups.imagePullSecret());
        configMap(
                "sigstoreTrustConfig",
                TRUST_KEY,
                spec.sources().sigstoreTrustConfig(),
                lookups.sigstoreTrustConfig(),
                true);
        configMap(
                "verificationConfig",
                VERIFICATION_KEY,
                spec.sources().verificationConfig(),
                lookups.verificationConfig(),
                isNew);
        lookups.serviceAccountProblem()
                .ifPresent(problem -> errors.add(FieldError.invalid(
                        "spec.serviceAccountName",
                        String.valueOf(spec.container().serviceAccountName()),
                        problem)));
        sourceAuthorities(spec.sources(), isNew);
        sourceAuthoritiesFrom(spec.sources());
        disruption(spec.fleet());
        resources(spec.container());
        errors.addAll(capabilities(
                "spec.namespacedPoliciesCapabilities",
                Optional.ofNullable(spec.serving().namespacedPoliciesCapabilities())
                        .orElse(List.of())));
        errors.addAll(TenancyChecks.of(spec));
        ports(spec.ports());
        return new Validation(errors, warnings);
    }

    /** Limits the name, because the Service name contains it. Updates of servers with longer names are allowed. */
    private void name(String name, boolean isNew) {
        int maxLength = isNew ? PolicyServerNames.MAX_NAME_LENGTH : MAX_EXISTING_NAME_LENGTH;
        if (name.length() > maxLength) {
            errors.add(FieldError.invalid(
                    "metadata.name", name, "the PolicyServer name cannot be longer than " + maxLength + " characters"));
        }
    }

    private void imagePullSecret(PolicyServerSpec.Sources sources, Lookup lookup) {
        var path = "spec.imagePullSecret";
        var name = Optional.ofNullable(sources.imagePullSecret()).orElse("");
        switch (lookup) {
            case Lookup.Unused _ -> {}
            case Lookup.Failed failed ->
                errors.add(FieldError.invalid(path, name, "cannot get spec.imagePullSecret: " + failed.cause()));
            case Lookup.Secret secret -> {
                if (!secret.type().equals(DOCKER_CONFIG)) {
                    errors.add(FieldError.invalid(
                            path,
                            name,
                            "spec.imagePullSecret secret \"%s\" is not of type %s".formatted(name, DOCKER_CONFIG)));
                }
            }
            case Lookup.ConfigMap _ -> errors.add(FieldError.invalid(path, name, "must name a Secret"));
        }
    }

    private void configMap(String field, String key, @Nullable String name, Lookup lookup, boolean isStrict) {
        var problem = switch (lookup) {
            case Lookup.Unused _ -> "";
            case Lookup.Failed failed -> "cannot get spec.%s ConfigMap: %s".formatted(field, failed.cause());
            case Lookup.ConfigMap map ->
                map.keys().contains(key)
                        ? ""
                        : "spec.%s ConfigMap \"%s\" does not contain required key \"%s\"".formatted(field, name, key);
            case Lookup.Secret _ -> "must name a ConfigMap";
        };
        if (!problem.isEmpty()) {
            report("spec." + field, Optional.ofNullable(name).orElse(""), problem, isStrict);
        }
    }

    private void sourceAuthorities(PolicyServerSpec.Sources sources, boolean isStrict) {
        new TreeMap<>(sources.sourceAuthorities()).forEach((host, certificates) -> {
            for (int i = 0; i < certificates.size(); i++) {
                if (!isCertificate(certificates.get(i))) {
                    report(
                            "spec.sourceAuthorities[%s][%d]".formatted(host, i),
                            "",
                            "is not a PEM certificate",
                            isStrict);
                }
            }
        });
    }

    /** Checks the form only. The objects may be created later; a condition reports those that are missing. */
    private void sourceAuthoritiesFrom(PolicyServerSpec.Sources sources) {
        new TreeMap<>(sources.sourceAuthoritiesFrom()).forEach((host, references) -> {
            for (int i = 0; i < references.size(); i++) {
                var path = "spec.sourceAuthoritiesFrom[%s][%d]".formatted(host, i);
                var map = references.get(i).configMapKeyRef();
                var secret = references.get(i).secretKeyRef();
                if ((map == null) == (secret == null)) {
                    errors.add(
                            FieldError.invalid(path, "", "must have exactly one of configMapKeyRef and secretKeyRef"));
                } else {
                    keyReference(
                            map == null ? path + ".secretKeyRef" : path + ".configMapKeyRef",
                            map == null ? secret : map);
                }
            }
        });
    }

    private void keyReference(String path, PolicyServerSpec.@Nullable KeyReference reference) {
        if (reference == null || reference.name().isEmpty()) {
            errors.add(FieldError.invalid(path + ".name", "", "must not be empty"));
        }
        if (reference == null || reference.key().isEmpty()) {
            errors.add(FieldError.invalid(path + ".key", "", "must not be empty"));
        }
    }

    private static boolean isCertificate(String pem) {
        try (var bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))) {
            return !CertificateFactory.getInstance("X.509")
                    .generateCertificates(bytes)
                    .isEmpty();
        } catch (CertificateException | IOException e) {
            return false;
        }
    }

    private void disruption(PolicyServerSpec.Fleet fleet) {
        if (fleet.minAvailable() != null && fleet.maxUnavailable() != null) {
            errors.add(FieldError.invalid(
                    "spec",
                    "minAvailable: %s, maxUnavailable: %s"
                            .formatted(
                                    fleet.minAvailable().getValue(),
                                    fleet.maxUnavailable().getValue()),
                    "minAvailable and maxUnavailable cannot be both set"));
        }
    }

    private void resources(PolicyServerSpec.Container container) {
        negatives("spec.limits.", container.limits());
        negatives("spec.requests.", container.requests());
        new TreeMap<>(container.requests()).forEach((resource, request) -> {
            var limit = container.limits().get(resource);
            if (limit != null && request.getNumericalAmount().compareTo(limit.getNumericalAmount()) > 0) {
                errors.add(FieldError.invalid(
                        "spec.requests." + resource,
                        request,
                        "must be less than or equal to %s limit of %s".formatted(resource, limit)));
            }
        });
    }

    private void negatives(String path, Map<String, Quantity> quantities) {
        new TreeMap<>(quantities).forEach((resource, quantity) -> {
            if (quantity.getNumericalAmount().signum() < 0) {
                errors.add(FieldError.invalid(path + resource, quantity, "must be greater than or equal to 0"));
            }
        });
    }

    /** Returns the errors in a list of capability patterns. */
    static List<FieldError> capabilities(String path, List<String> patterns) {
        var errors = new ArrayList<FieldError>();
        for (int i = 0; i < patterns.size(); i++) {
            var element = path + "[" + i + "]";
            var pattern = patterns.get(i);
            CapabilityPattern.check(pattern)
                    .ifPresent(problem -> errors.add(FieldError.invalid(element, pattern, describe(pattern, problem))));
        }
        return errors;
    }

    private static String describe(String pattern, Problem problem) {
        return switch (problem) {
            case Problem.Empty _ -> "capability must not be empty";
            case Problem.MisplacedWildcard _ -> "the wildcard '*' must be the complete last segment";
            case Problem.UnknownSegment unknown ->
                "unknown segment \"%s\", must be one of: %s"
                        .formatted(unknown.segment(), String.join(", ", unknown.options()));
            case Problem.BeyondCapability beyond ->
                "nothing may follow the capability \"%s\"".formatted(beyond.capability());
            case Problem.Incomplete _ -> "incomplete capability path, did you mean \"%s/*\"?".formatted(pattern);
        };
    }

    private void ports(PolicyServerSpec.Ports ports) {
        if (ports.effectiveWebhookPort() == ports.effectiveReadinessProbePort()) {
            errors.add(FieldError.invalid(
                    "spec.readinessProbePort",
                    ports.effectiveReadinessProbePort(),
                    "readinessProbePort must differ from webhookPort (" + ports.effectiveWebhookPort() + ")"));
        }
    }

    private void report(String path, String value, String problem, boolean isStrict) {
        if (isStrict) {
            errors.add(FieldError.invalid(path, value, problem));
        } else {
            warnings.add(path + ": " + problem);
        }
    }
}
