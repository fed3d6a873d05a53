package io.portcullis.controller.policyserver.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.plan.CertificateMaker.IssuedCertificate;
import io.portcullis.controller.policyserver.SampleServers;
import io.portcullis.controller.policyserver.workload.SourceAuthorities.Problem;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates that a PolicyServer takes from keys of ConfigMaps and Secrets. */
class SourceAuthoritiesTest {

    private static final CertificateMaker MAKER = new CertificateMaker(Clock.systemUTC(), new SecureRandom());
    private static final IssuedCertificate ONE = MAKER.authority();
    private static final IssuedCertificate TWO = MAKER.authority();
    private static final String MAIN = "policy-server-a";

    private final Map<String, Secret> secrets = new HashMap<>();
    private final Map<String, ConfigMap> maps = new HashMap<>();

    private void secret(String name, String key, String text) {
        secrets.put(name, new SecretBuilder().addToData(key, base64(text)).build());
    }

    private void map(String name, String key, String text) {
        maps.put(name, new ConfigMapBuilder().addToData(key, text).build());
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private SourceAuthorities resolve(String fields) {
        return SourceAuthorities.resolve(
                SampleServers.serverSpec("{image: i, replicas: 1, " + fields + "}"),
                name -> Optional.ofNullable(secrets.get(name)),
                name -> Optional.ofNullable(maps.get(name)));
    }

    private static String from(String host, String... references) {
        return "sourceAuthoritiesFrom: {" + host + ": [" + String.join(", ", references) + "]}";
    }

    private static String mapKey(String name) {
        return "{configMapKeyRef: {name: " + name + ", key: ca.crt}}";
    }

    private static String secretKey(String name) {
        return "{secretKeyRef: {name: " + name + ", key: ca.crt}}";
    }

    private static List<String> texts(SourceAuthorities authorities) {
        return authorities.problems().stream().map(Problem::toString).toList();
    }

    @Test
    void addsReferencedCertificatesToThoseOfTheSpec() {
        map("cas", "ca.crt", ONE.certificatePem());
        secret("cas", "ca.crt", TWO.certificatePem());

        var found = resolve(
                "sourceAuthorities: {h: [INLINE], other: [SAME]}, " + from("h", mapKey("cas"), secretKey("cas")));

        assertThat(found.problems()).isEmpty();
        assertThat(found.isReferring()).isTrue();
        assertThat(found.byHost()).containsOnlyKeys("h", "other").containsEntry("other", List.of("SAME"));
        assertThat(found.byHost().get("h")).containsExactly("INLINE", ONE.certificatePem(), TWO.certificatePem());
    }

    @Test
    void readsBinaryDataOfConfigMapsAndBundlesOfCertificates() {
        maps.put(
                "cas",
                new ConfigMapBuilder()
                        .addToBinaryData("ca.crt", base64("# two\n" + ONE.certificatePem() + TWO.certificatePem()))
                        .build());

        assertThat(resolve(from("h", mapKey("cas"))).byHost().get("h"))
                .containsExactly(ONE.certificatePem(), TWO.certificatePem());
    }

    @Test
    void copiesNothingButCertificates() {
        secret("tls", "ca.crt", "password=hunter2\n" + ONE.keyPem() + ONE.certificatePem() + "token");
        secret("key", "ca.crt", ONE.keyPem());

        var found = resolve(from("h", secretKey("tls")));
        var refused = resolve(from("h", secretKey("key")));

        assertThat(found.byHost().get("h")).containsExactly(ONE.certificatePem());
        assertThat(texts(refused))
                .containsExactly("spec.sourceAuthoritiesFrom[h][0]: Secret key key ca.crt has no PEM certificate");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "absent; ReferenceNotFound; ConfigMap absent does not exist",
                "otherKey; KeyNotFound; ConfigMap otherKey has no key ca.crt",
                "text; InvalidCertificate; ConfigMap text key ca.crt has no PEM certificate",
                "broken; InvalidCertificate; ConfigMap broken key ca.crt: certificate 2 cannot be read",
                "large; TooLarge; ConfigMap large key ca.crt has more than 262144 bytes",
            })
    void reportsWhyAReferenceCannotBeResolved(String name, String reason, String message) {
        map("otherKey", "tls.crt", ONE.certificatePem());
        map("text", "ca.crt", "nonsense");
        map(
                "broken",
                "ca.crt",
                ONE.certificatePem() + "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n");
        map("large", "ca.crt", ONE.certificatePem() + "#".repeat(SourceAuthorities.MAX_BYTES));

        var found = resolve(from("h", mapKey(name)));

        assertThat(texts(found)).containsExactly("spec.sourceAuthoritiesFrom[h][0]: " + message);
        assertThat(found.problems().getFirst().cause().reason()).isEqualTo(reason);
        assertThat(found.blocking()).isEqualTo(found.problems());
    }

    @Test
    void limitsTheContentOfSecretsAndTheSizeOfAllCertificates() {
        secret("large", "ca.crt", "#".repeat(SourceAuthorities.MAX_BYTES + 3));
        map(
                "many",
                "ca.crt",
                ONE.certificatePem().repeat(200_000 / ONE.certificatePem().length()));

        var found = resolve("sourceAuthoritiesFrom: {a: [%s], b: [%s], c: [%s], d: [%s]}"
                .formatted(secretKey("large"), mapKey("many"), mapKey("many"), mapKey("many")));

        assertThat(texts(found))
                .containsExactly(
                        "spec.sourceAuthoritiesFrom[a][0]: Secret large key ca.crt has more than 262144 bytes",
                        "spec.sourceAuthoritiesFrom[d][0]: the certificates of all references have more than 524288 bytes");
    }

    @Test
    void keepsTheLastCertificatesOfAHostWhoseReferenceIsBroken() {
        map("cas", "ca.crt", ONE.certificatePem());
        var fields = "sourceAuthorities: {h: [OLD], other: [%s]}, " + from("h", mapKey("cas"));
        use(resolve(fields.formatted("BEFORE")));
        maps.remove("cas");

        var found = resolve(fields.replace("OLD", "NEW").formatted("AFTER"));

        assertThat(found.byHost())
                .containsEntry("other", List.of("AFTER"))
                .containsEntry("h", List.of("OLD", ONE.certificatePem()));
        assertThat(found.blocking()).isEmpty();
        assertThat(texts(found))
                .containsExactly("spec.sourceAuthoritiesFrom[h][0]: ConfigMap cas does not exist;"
                        + " the last certificates stay in use");

        map("cas", "ca.crt", TWO.certificatePem());
        assertThat(Objects.requireNonNull(
                        resolve(fields.formatted("AFTER")).byHost().get("h")))
                .containsExactly("OLD", TWO.certificatePem());
    }

    /** Stores the ConfigMap of the server, as the controller does. */
    private void use(SourceAuthorities authorities) {
        map(MAIN, SourcesFile.NAME, SourcesFile.of(List.of(), authorities.byHost()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"{", "[]", "{\"source_authorities\": {\"h\": \"text\"}}", "''"})
    void blocksTheRolloutWhenTheLiveFileHasNoCertificatesOfTheHost(String live) {
        map(MAIN, SourcesFile.NAME, live);

        assertThat(resolve(from("h", mapKey("absent"))).blocking()).hasSize(1);
    }

    @Test
    void findsTheServersThatReadAnObject() {
        var serverSpec = SampleServers.serverSpec("{image: i, replicas: 1, " + from("h", secretKey("cas")) + "}");

        assertThat(ReferencedObjects.isReader(serverSpec, "cas", true)).isTrue();
        assertThat(ReferencedObjects.isReader(serverSpec, "cas", false)).isFalse();
        assertThat(ReferencedObjects.isReader(serverSpec, "other", true)).isFalse();
        assertThat(serverSpec.hasSources()).as("the pods mount sources.yml").isTrue();
    }
}
