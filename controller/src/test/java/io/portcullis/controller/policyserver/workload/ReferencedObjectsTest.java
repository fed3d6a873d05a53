package io.portcullis.controller.policyserver.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.policyserver.SampleServers;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that pods read at their start. A change rolls the pods, and a missing object blocks the rollout. */
class ReferencedObjectsTest {

    private static final String SPEC = """
            {image: i, replicas: 1, imagePullSecret: pull, verificationConfig: verification,
             sigstoreTrustConfig: trust, insecureSources: [a.example.com]}""";

    private final Map<String, Secret> secrets = new HashMap<>();
    private final Map<String, ConfigMap> maps = new HashMap<>();

    @BeforeEach
    void createAllObjects() {
        secret("pull", ".dockerconfigjson", "e30=");
        secret("collector-ca", "ca.crt", "QQ==");
        secret("collector-client", "tls.crt", "QQ==");
        map("verification", "verification-config", "v");
        map("trust", "sigstore-trust-config", "t");
        map("client-ca", "client-ca.crt", "c");
    }

    private void secret(String name, String key, String value) {
        secrets.put(
                name,
                new SecretBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withResourceVersion("" + System.nanoTime())
                        .endMetadata()
                        .addToData(key, value)
                        .build());
    }

    private void map(String name, String key, String value) {
        maps.put(
                name,
                new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .addToData(key, value)
                        .build());
    }

    private ReferencedObjects resolve(String spec) {
        var settings = new ServerDefaults(
                SampleServers.NAMESPACE,
                List.of(),
                false,
                false,
                Optional.of("client-ca"),
                SampleServers.COLLECTOR,
                ServerDefaults.Network.UNRESTRICTED,
                SampleServers.CONTROLLER);
        var serverSpec = SampleServers.serverSpec(spec, settings);
        Function<String, Optional<Secret>> findSecret = name -> Optional.ofNullable(secrets.get(name));
        Function<String, Optional<ConfigMap>> findMap = name -> Optional.ofNullable(maps.get(name));
        return ReferencedObjects.resolve(
                serverSpec, SourceAuthorities.resolve(serverSpec, findSecret, findMap), findSecret, findMap);
    }

    @ParameterizedTest
    @CsvSource({
        "secret, pull, .dockerconfigjson",
        "secret, collector-ca, ca.crt",
        "secret, collector-client, tls.crt",
        "map, verification, verification-config",
        "map, trust, sigstore-trust-config",
        "map, client-ca, client-ca.crt",
    })
    void changedContentChangesTheHash(String kind, String name, String key) {
        var before = resolve(SPEC);

        if (kind.equals("secret")) {
            secret(name, key, "b3RoZXI=");
        } else {
            map(name, key, "other");
        }

        assertThat(before.problems()).isEmpty();
        assertThat(resolve(SPEC).configHash()).isNotEqualTo(before.configHash());
    }

    @Test
    void theResourceVersionDoesNotChangeTheHash() {
        var before = resolve(SPEC);

        secret("pull", ".dockerconfigjson", "e30=");
        maps.computeIfPresent(
                "trust",
                (_, found) ->
                        new ConfigMapBuilder(found).addToData("unrelated", "x").build());

        assertThat(resolve(SPEC)).isEqualTo(before);
    }

    @Test
    void sourcesChangeTheHashButTheirOrderDoesNot() {
        var one = "{image: i, replicas: 1, sourceAuthorities: {a: [x], b: [y]}}";
        var same = "{image: i, replicas: 1, sourceAuthorities: {b: [y], a: [x]}}";
        var other = "{image: i, replicas: 1, sourceAuthorities: {a: [x], b: [z]}}";

        assertThat(resolve(same)).isEqualTo(resolve(one));
        assertThat(resolve(other)).isNotEqualTo(resolve(one));
    }

    @Test
    void referencedCertificatesChangeTheHashAndBlockTheRolloutUntilTheyExist() {
        var spec = "{image: i, replicas: 1, sourceAuthoritiesFrom: {h: [{configMapKeyRef: {name: cas, key: a}}]}}";
        var maker = new CertificateMaker(Clock.systemUTC(), new SecureRandom());

        assertThat(resolve(spec).problems())
                .containsExactly("spec.sourceAuthoritiesFrom[h][0]: ConfigMap cas does not exist");
        map("cas", "a", maker.authority().certificatePem());
        var before = resolve(spec);
        map("cas", "a", maker.authority().certificatePem());

        assertThat(before.problems()).isEmpty();
        assertThat(resolve(spec).configHash()).isNotEqualTo(before.configHash());
    }

    @ParameterizedTest
    @ValueSource(strings = {"pull", "verification", "trust", "client-ca", "collector-ca", "collector-client"})
    void reportsMissingObjectsByName(String name) {
        secrets.remove(name);
        maps.remove(name);

        assertThat(resolve(SPEC).problems()).singleElement().asString().contains(name + " does not exist");
    }

    @Test
    void reportsAMissingKeyByName() {
        map("trust", "typo", "t");

        assertThat(resolve(SPEC).problems())
                .containsExactly("spec.sigstoreTrustConfig: ConfigMap trust has no key sigstore-trust-config");
    }
}
