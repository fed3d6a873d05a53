package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The volumes of one pod as directories, and where its container would have seen them. */
final class HostVolumes {

    private final KubernetesClient client;
    private final Pod pod;
    private final Path own;
    private final Path claims;

    /**
     * @param own of this pod, for what goes with it
     * @param claims shared by all pods: a directory for each PersistentVolumeClaim
     */
    HostVolumes(KubernetesClient client, Pod pod, Path own, Path claims) {
        this.client = client;
        this.pod = pod;
        this.own = own;
        this.claims = claims;
    }

    /** Writes what is new or changed, file by file, each by one rename. */
    void refresh() {
        pod.getSpec().getVolumes().forEach(this::refresh);
    }

    private void refresh(Volume volume) {
        var directory = directory(volume);
        try {
            Files.createDirectories(directory);
            for (var file : contents(volume).entrySet()) {
                var target = directory.resolve(file.getKey());
                if (!Files.exists(target) || !Arrays.equals(Files.readAllBytes(target), file.getValue())) {
                    var draft = directory.resolve("." + file.getKey() + ".new");
                    Files.write(draft, file.getValue());
                    Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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

    private Map<String, byte[]> contents(Volume volume) {
        if (volume.getSecret() != null) {
            return picked(
                    secret(volume.getSecret().getSecretName()),
                    volume.getSecret().getItems());
        }
        if (volume.getConfigMap() != null) {
            return picked(
                    configMap(volume.getConfigMap().getName()),
                    volume.getConfigMap().getItems());
        }
        var files = new HashMap<String, byte[]>();
        if (volume.getProjected() != null) {
            volume.getProjected().getSources().forEach(source -> {
                if (source.getSecret() != null) {
                    files.putAll(picked(
                            secret(source.getSecret().getName()),
                            source.getSecret().getItems()));
                }
                if (source.getConfigMap() != null) {
                    files.putAll(picked(
                            configMap(source.getConfigMap().getName()),
                            source.getConfigMap().getItems()));
                }
            });
        }
        return files;
    }

    private static Map<String, byte[]> picked(Map<String, byte[]> all, List<KeyToPath> items) {
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

    private Map<String, byte[]> secret(String name) {
        var secret = client.secrets().inNamespace(namespace()).withName(name).get();
        var files = new HashMap<String, byte[]>();
        if (secret != null && secret.getData() != null) {
            secret.getData()
                    .forEach((key, value) -> files.put(key, Base64.getDecoder().decode(value)));
        }
        return files;
    }

    private Map<String, byte[]> configMap(String name) {
        var map = client.configMaps().inNamespace(namespace()).withName(name).get();
        var files = new HashMap<String, byte[]>();
        if (map != null && map.getData() != null) {
            map.getData().forEach((key, value) -> files.put(key, value.getBytes(StandardCharsets.UTF_8)));
        }
        return files;
    }

    private String namespace() {
        return pod.getMetadata().getNamespace();
    }

    /** A value in which paths of the container are those of this machine. */
    String onHost(Container container, String value) {
        var mounts = container.getVolumeMounts().stream()
                .sorted(Comparator.comparingInt(
                                (VolumeMount mount) -> mount.getMountPath().length())
                        .reversed())
                .toList();
        for (var mount : mounts) {
            var volume = pod.getSpec().getVolumes().stream()
                    .filter(candidate -> candidate.getName().equals(mount.getName()))
                    .findFirst()
                    .orElseThrow();
            var path = Pattern.compile("(^|,)" + Pattern.quote(mount.getMountPath()) + "(?=/|,|$)");
            value = path.matcher(value)
                    .replaceAll(
                            "$1" + Matcher.quoteReplacement(directory(volume).toString()));
        }
        return value;
    }
}
