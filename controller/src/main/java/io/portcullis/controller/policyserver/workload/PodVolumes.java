package io.portcullis.controller.policyserver.workload;

import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The volumes of a policy server: read-only, except its store and its cache. */
record PodVolumes(List<Volume> volumes, List<VolumeMount> mounts) {

    static final String PKI = "/pki";
    static final String CA = "/ca";
    static final String CLIENT_CA = "/client-ca";
    static final String STORE = "/tmp";
    static final String CACHE = "/cache";
    /** A separate directory, because nothing can be mounted inside the read-only {@code /pki}. */
    static final String CACHE_SIGNER = "/pki-cache";

    static final String SOURCES = "/sources";
    static final String VERIFICATION = "/verification";
    static final String VERIFICATION_FILE = "verification.yml";
    static final String SIGSTORE_TRUST = "/sigstore-trust";
    static final String SIGSTORE_TRUST_FILE = "sigstore-trust-config.json";
    static final String DOCKER = "/home/kubewarden/.docker";

    private static final String COLLECTOR_CERTIFICATE = "OTEL_EXPORTER_OTLP_CERTIFICATE";
    private static final String COLLECTOR_CLIENT_CERTIFICATE = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE";
    private static final int READABLE_BY_ALL = 0644;

    static PodVolumes of(ServerSpec serverSpec) {
        var files = new PodVolumes(new ArrayList<>(), new ArrayList<>());
        var names = serverSpec.names();
        files.secret("certs", names.main(), PKI);
        files.readOnly(authority(), CA);
        files.secret("cache-signer", names.cacheSignerSecret(), CACHE_SIGNER);
        files.writable(
                new VolumeBuilder()
                        .withName("policy-store")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .build(),
                STORE);
        files.writable(cache(serverSpec), CACHE);
        files.sources(serverSpec);
        serverSpec
                .settings()
                .clientCaConfigMap()
                .ifPresent(name ->
                        files.configMap("client-ca-cert", name, key(ReferencedObjects.CLIENT_CA_KEY), CLIENT_CA));
        files.collectorCertificates(serverSpec.settings().telemetry());
        return files;
    }

    /**
     * Only certificates: the authority's key stays with the controller. The old certificate exists after a rotation.
     */
    private static Volume authority() {
        return new VolumeBuilder()
                .withName("kubewarden-ca-cert")
                .withNewProjected()
                .withSources(authority("ca.crt", null), authority("old-ca.crt", true))
                .endProjected()
                .build();
    }

    private static VolumeProjection authority(String key, @Nullable Boolean isOptional) {
        return new VolumeProjectionBuilder()
                .withNewSecret()
                .withName(ServerNames.CA_SECRET)
                .withItems(key(key))
                .withOptional(isOptional)
                .endSecret()
                .build();
    }

    static boolean sharesCache(ServerSpec serverSpec) {
        var wanted = serverSpec.spec().serving().cache();
        return wanted != null && wanted.isShared();
    }

    /**
     * The directory of this server's cache. Several servers may name the same claim, so each gets a directory of its own in it.
     */
    static String cacheDirectory(ServerSpec serverSpec) {
        return sharesCache(serverSpec) ? CACHE + "/" + serverSpec.names().server() : CACHE;
    }

    private static Volume cache(ServerSpec serverSpec) {
        var wanted = serverSpec.spec().serving().cache();
        var volume = new VolumeBuilder().withName("cache");
        if (wanted != null && wanted.isShared()) {
            return volume.withNewPersistentVolumeClaim()
                    .withClaimName(Objects.requireNonNullElse(
                            wanted.claimName(), serverSpec.names().cacheClaim()))
                    .endPersistentVolumeClaim()
                    .build();
        }
        return volume.withNewEmptyDir()
                .withSizeLimit(wanted == null ? null : wanted.size())
                .endEmptyDir()
                .build();
    }

    private void sources(ServerSpec serverSpec) {
        var sources = serverSpec.spec().sources();
        if (serverSpec.hasSources()) {
            configMap("sources", serverSpec.names().main(), key(SourcesFile.NAME), SOURCES);
        }
        set(sources.verificationConfig())
                .ifPresent(name -> configMap(
                        "verification",
                        name,
                        new KeyToPath(ReferencedObjects.VERIFICATION_KEY, null, VERIFICATION_FILE),
                        VERIFICATION));
        set(sources.sigstoreTrustConfig())
                .ifPresent(name -> configMap(
                        "sigstore-trust-config",
                        name,
                        new KeyToPath(ReferencedObjects.SIGSTORE_TRUST_KEY, null, SIGSTORE_TRUST_FILE),
                        SIGSTORE_TRUST));
        set(sources.imagePullSecret())
                .ifPresent(name -> readOnly(
                        new VolumeBuilder()
                                .withName("imagepullsecret")
                                .withNewSecret()
                                .withSecretName(name)
                                .withItems(new KeyToPath(ReferencedObjects.DOCKER_CONFIG_KEY, null, "config.json"))
                                .endSecret()
                                .build(),
                        DOCKER));
    }

    /** Mounted at the paths from the controller's own environment. */
    private void collectorCertificates(ServerDefaults.Telemetry telemetry) {
        if (telemetry.isSentToCollector()) {
            collector(
                    "otel-collector-certificate",
                    telemetry.certificateSecret(),
                    telemetry.exporter().get(COLLECTOR_CERTIFICATE));
            collector(
                    "otel-collector-client-certificate",
                    telemetry.clientCertificateSecret(),
                    telemetry.exporter().get(COLLECTOR_CLIENT_CERTIFICATE));
        }
    }

    private void collector(String volume, Optional<String> secret, @Nullable String file) {
        var directory = file == null ? null : Path.of(file).getParent();
        if (secret.isPresent() && directory != null) {
            readOnly(
                    new VolumeBuilder()
                            .withName(volume)
                            .withNewSecret()
                            .withSecretName(secret.get())
                            .withDefaultMode(READABLE_BY_ALL)
                            .endSecret()
                            .build(),
                    directory.toString());
        }
    }

    private void secret(String volume, String secret, String path) {
        readOnly(
                new VolumeBuilder()
                        .withName(volume)
                        .withNewSecret()
                        .withSecretName(secret)
                        .endSecret()
                        .build(),
                path);
    }

    private void configMap(String volume, String configMap, KeyToPath item, String path) {
        readOnly(
                new VolumeBuilder()
                        .withName(volume)
                        .withNewConfigMap()
                        .withName(configMap)
                        .withItems(item)
                        .endConfigMap()
                        .build(),
                path);
    }

    private void readOnly(Volume volume, String path) {
        volumes.add(volume);
        mounts.add(new VolumeMountBuilder()
                .withName(volume.getName())
                .withMountPath(path)
                .withReadOnly(true)
                .build());
    }

    private void writable(Volume volume, String path) {
        volumes.add(volume);
        mounts.add(new VolumeMountBuilder()
                .withName(volume.getName())
                .withMountPath(path)
                .build());
    }

    private static KeyToPath key(String key) {
        return new KeyToPath(key, null, key);
    }

    private static Optional<String> set(@Nullable String name) {
        return Optional.ofNullable(name).filter(text -> !text.isEmpty());
    }
}
