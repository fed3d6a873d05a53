package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The volumes of one pod as local directories, and the mapping from container paths to these directories. */
final class HostVolumes {

    private final KubernetesClient client;
    private final Pod pod;
    private final Path own;
    private final Path claims;

    /**
     * Creates the mapping for a pod.
     *
     * @param own the directory of this pod, removed with the pod
     * @param claims shared by all pods: one directory for each PersistentVolumeClaim
     */
    HostVolumes(KubernetesClient client, Pod pod, Path own, Path claims) {
        this.client = client;
        this.pod = pod;
        this.own = own;
        this.claims = claims;
    }

    /** Writes the volumes before a process starts, from the current objects in the API server. */
    void fill() {
        refresh(
                name -> Optional.ofNullable(
                        client.secrets().inNamespace(namespace()).withName(name).get()),
                name -> Optional.ofNullable(client.configMaps()
                        .inNamespace(namespace())
                        .withName(name)
                        .get()));
    }

    /** Writes new and changed files. Each file is replaced by one rename. */
    void refresh(HostObjects objects) {
        refresh(objects::secret, objects::configMap);
    }

    private void refresh(Function<String, Optional<Secret>> secrets, Function<String, Optional<ConfigMap>> configMaps) {
        pod.getSpec().getVolumes().forEach(volume -> write(volume, new Source(secrets, configMaps)));
    }

    private record Source(
            Function<String, Optional<Secret>> secrets, Function<String, Optional<ConfigMap>> configMaps) {

        Map<String, byte[]> secret(String name) {
            var files = new HashMap<String, byte[]>();
            secrets.apply(name)
                    .map(Secret::getData)
                    .ifPresent(data -> data.forEach(
                            (key, value) -> files.put(key, Base64.getDecoder().decode(value))));
            return files;
        }

        Map<String, byte[]> configMap(String name) {
            var files = new HashMap<String, byte[]>();
            configMaps
                    .apply(name)
                    .map(ConfigMap::getData)
                    .ifPresent(data ->
                            data.forEach((key, value) -> files.put(key, value.getBytes(StandardCharsets.UTF_8))));
            return files;
        }
    }

    private void write(Volume volume, Source source) {
        var directory = directory(volume);
        try {
            Files.createDirectories(directory);
            for (var file : contents(volume, source).entrySet()) {
                var target = directory.resolve(file.getKey());
                if (!Files.exists(target) || !Arrays.equals(Files.readAllBytes(target), file.getValue())) {
                    var temporary = directory.resolve("." + file.getKey() + ".new");
                    Files.write(temporary, file.getValue());
                    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot fill volume " + volume.getName(), e);
        }
    }

    private Path directory(Volume volume) {
        if (volume.getPersistentVolumeClaim() != null) {
            return claims.resolve(volume.getPersistentVolumeClaim().getClaimName());
        }
        return volume.getHostPath() == null
                ? own.resolve(volume.getName())
                : Path.of(volume.getHostPath().getPath());
    }

    private static Map<String, byte[]> contents(Volume volume, Source from) {
        if (volume.getSecret() != null) {
            return selectItems(
                    from.secret(volume.getSecret().getSecretName()),
                    volume.getSecret().getItems());
        }
        if (volume.getConfigMap() != null) {
            return selectItems(
                    from.configMap(volume.getConfigMap().getName()),
                    volume.getConfigMap().getItems());
        }
        var files = new HashMap<String, byte[]>();
        if (volume.getProjected() != null) {
            volume.getProjected().getSources().forEach(source -> {
                if (source.getSecret() != null) {
                    files.putAll(selectItems(
                            from.secret(source.getSecret().getName()),
                            source.getSecret().getItems()));
                }
                if (source.getConfigMap() != null) {
                    files.putAll(selectItems(
                            from.configMap(source.getConfigMap().getName()),
                            source.getConfigMap().getItems()));
                }
            });
        }
        return files;
    }

    private static Map<String, byte[]> selectItems(Map<String, byte[]> all, List<KeyToPath> items) {
        if (items.isEmpty()) {
            return all;
        }
        var files = new HashMap<String, byte[]>();
        items.forEach(item -> {
            var content = all.get(item.getKey());
            if (content != null) {
                files.put(item.getPath(), content);
            }
        });
        return files;
    }

    private String namespace() {
        return pod.getMetadata().getNamespace();
    }

    /** Replaces container paths in a value by the local paths. */
    String onHost(Container container, String value) {
        var directories = new HashMap<String, Path>();
        container.getVolumeMounts().forEach(mount -> directories.put(mount.getMountPath(), directory(mount)));
        // Replace in one pass, longest path first, so that a replacement is not replaced again.
        var paths = directories.keySet().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        return paths.isEmpty()
                ? value
                : Pattern.compile("(?<=^|,)(" + paths + ")(?=/|,|$)")
                        .matcher(value)
                        .replaceAll(path -> Matcher.quoteReplacement(String.valueOf(directories.get(path.group()))));
    }

    private Path directory(VolumeMount mount) {
        return pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(mount.getName()))
                .map(this::directory)
                .findFirst()
                .orElseThrow();
    }
}
