package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.fault.Cable;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One pod: an object in the API server and a local process. Only the {@link HostPods} thread calls it, except for
 * faults.
 */
public final class HostPod {

    private static final Duration RESTART_PAUSE = Duration.ofSeconds(1);

    private final KubernetesClient client;
    private final Pod pod;
    private final String address;
    private final Path directory;
    private final HostVolumes volumes;
    private final Function<Container, List<String>> programs;
    private final Map<String, String> identity;
    private final Cable line;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

    private volatile @Nullable RunningProgram program;
    private volatile boolean ready;
    private volatile boolean held;
    private int starts;
    private Instant diedAt = Instant.EPOCH;
    private Instant readySince = Instant.now();
    private boolean reported;
    /** Consecutive failed probes, counted at most once for each probe period. */
    private int failures;

    private Instant lastFailure = Instant.EPOCH;

    HostPod(
            KubernetesClient client,
            Pod pod,
            String address,
            Path directory,
            Path claims,
            Function<Container, List<String>> programs,
            Map<String, String> identity,
            Cable line) {
        this.client = client;
        this.pod = pod;
        this.address = address;
        this.directory = directory;
        this.volumes = new HostVolumes(client, pod, directory, claims);
        this.programs = programs;
        this.identity = identity;
        this.line = line;
    }

    public String name() {
        return pod.getMetadata().getName();
    }

    public String uid() {
        return pod.getMetadata().getUid();
    }

    public String address() {
        return address;
    }

    /** Returns the result of the last readiness probe. */
    public boolean isReady() {
        return ready;
    }

    /** Returns how often the container was restarted. */
    public int restarts() {
        return Math.max(0, starts - 1);
    }

    Map<String, String> labels() {
        return pod.getMetadata().getLabels();
    }

    public String image() {
        return pod.getSpec().getContainers().getFirst().getImage();
    }

    /** Returns the local directory of a volume that belongs to this pod alone. */
    public Path volume(String name) {
        return directory.resolve(name);
    }

    /** Returns the output of the container since its last start. */
    public String output() {
        var running = program;
        return running == null ? "" : running.output();
    }

    /** Kills the process. It is restarted after a short delay, as a kubelet does. */
    public void kill() {
        running().kill();
    }

    /** Kills the process and prevents its restart until {@link #release}. */
    public void hold() {
        held = true;
        running().kill();
    }

    public void release() {
        held = false;
    }

    /** Suspends the process until {@link #resume}. */
    public void pause() {
        running().pause();
    }

    public void resume() {
        running().resume();
    }

    /** Returns the connection of the process to the API server. Webhook calls and probes use another route. */
    public Cable line() {
        return line;
    }

    private RunningProgram running() {
        var running = program;
        if (running == null) {
            throw new IllegalStateException(name() + " has not been started yet");
        }
        return running;
    }

    /** Runs one iteration: updates volumes, restarts a dead process, runs the probe and reports the status. */
    void tick(HostObjects objects) {
        volumes.refresh(objects);
        var running = program;
        if (running == null || !running.isAlive()) {
            if (running != null && diedAt.equals(Instant.EPOCH)) {
                diedAt = Instant.now();
            }
            if (!held && Duration.between(diedAt, Instant.now()).compareTo(RESTART_PAUSE) > 0) {
                start();
            }
        }
        var now = isReadyNow();
        if (now != ready || !reported) {
            readySince = Instant.now();
            ready = now;
            report();
        }
    }

    private void start() {
        volumes.fill();
        var container = pod.getSpec().getContainers().getFirst();
        var environment = new HashMap<>(identity);
        container.getEnv().forEach(variable -> environment.put(variable.getName(), value(container, variable)));
        environment.put("KUBEWARDEN_BIND_ADDRESS", address);
        starts++;
        diedAt = Instant.EPOCH;
        program = RunningProgram.start(
                directory.resolve("start-" + starts + ".log"), programs.apply(container), environment);
    }

    private String value(Container container, EnvVar variable) {
        if (variable.getValueFrom() == null || variable.getValueFrom().getFieldRef() == null) {
            return volumes.onHost(container, variable.getValue() == null ? "" : variable.getValue());
        }
        var field = variable.getValueFrom().getFieldRef().getFieldPath();
        return switch (field) {
            case "metadata.name" -> name();
            case "metadata.uid" -> uid();
            case "metadata.namespace" -> pod.getMetadata().getNamespace();
            case "status.podIP" -> address;
            default -> {
                if (!field.startsWith("metadata.labels['")) {
                    throw new IllegalArgumentException("no such field for " + variable.getName() + ": " + field);
                }
                yield labels().getOrDefault(field.substring("metadata.labels['".length(), field.length() - 2), "");
            }
        };
    }

    /** Applies the kubelet's rule: a ready replica stays ready until several consecutive probes fail. */
    private boolean isReadyNow() {
        var running = program;
        var probe = pod.getSpec().getContainers().getFirst().getReadinessProbe();
        if (running == null || !running.isAlive()) {
            return false;
        }
        if (probe == null || probe.getHttpGet() == null) {
            return true;
        }
        if (answers(probe.getHttpGet(), number(probe.getTimeoutSeconds(), 1))) {
            failures = 0;
            return true;
        }
        var period = Duration.ofSeconds(number(probe.getPeriodSeconds(), 10));
        if (Duration.between(lastFailure, Instant.now()).compareTo(period) >= 0) {
            failures++;
            lastFailure = Instant.now();
        }
        return ready && failures < number(probe.getFailureThreshold(), 3);
    }

    private static int number(@Nullable Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }

    private boolean answers(HTTPGetAction get, int timeoutSeconds) {
        var uri = URI.create("http://" + address + ":" + get.getPort().getIntVal() + get.getPath());
        try {
            return http.send(
                                    HttpRequest.newBuilder(uri)
                                            .timeout(Duration.ofSeconds(timeoutSeconds))
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void report() {
        var since = readySince.truncatedTo(ChronoUnit.SECONDS).toString();
        var status = new PodStatusBuilder()
                .withPhase("Running")
                .withPodIP(address)
                .addNewPodIP(address)
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .withLastTransitionTime(since)
                .endCondition()
                .addNewContainerStatus()
                .withName(pod.getSpec().getContainers().getFirst().getName())
                .withImage(pod.getSpec().getContainers().getFirst().getImage())
                .withImageID("")
                .withReady(ready)
                .withRestartCount(restarts())
                .endContainerStatus()
                .build();
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(name())
                .editStatus(current -> {
                    current.setStatus(status);
                    return current;
                });
        reported = true;
    }

    /** Ends the process and deletes the Pod object. */
    void remove() {
        ready = false;
        var running = program;
        if (running != null) {
            running.close();
        }
        line.close();
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(name())
                .withGracePeriod(0)
                .delete();
    }
}
