package io.portcullis.lifecycle;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionStatus;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** When a watch first saw each stage of a revision, so that a slow change shows where its time went. */
final class Stages implements AutoCloseable {

    private static final List<String> ORDER =
            List.of("created", "scheduled", "initialized", "first replica ready", "all replicas ready", "active");

    private final int replicas;
    private final SharedIndexInformer<PolicyRevision> watch;
    private final Map<String, Long> seen = new ConcurrentHashMap<>();
    private final Map<String, List<Duration>> times = new LinkedHashMap<>();

    Stages(KubernetesClient client, String namespace, String policy, int replicas) {
        this.replicas = replicas;
        this.watch = client.resources(PolicyRevision.class)
                .inNamespace(namespace)
                .inform(new Watching<>(revision -> {
                    if (revision.getSpec().objectReference().name().equals(policy)) {
                        look(revision);
                    }
                }));
    }

    private void look(PolicyRevision revision) {
        var status = revision.getStatus() == null ? PolicyRevisionStatus.EMPTY : revision.getStatus();
        long generation = revision.getSpec().policyGeneration();
        var held = status.conditions().stream()
                .filter(Condition::isTrue)
                .map(Condition::type)
                .toList();
        long ready = held.stream().filter(type -> type.startsWith("Ready")).count();
        note("created", generation, true);
        note("scheduled", generation, held.contains("Scheduled"));
        note("initialized", generation, held.contains("Initialized"));
        note("first replica ready", generation, ready > 0);
        note("all replicas ready", generation, ready >= replicas);
        note("active", generation, revision.getSpec().active());
    }

    private void note(String stage, long generation, boolean reached) {
        if (reached) {
            seen.putIfAbsent(stage + "/" + generation, System.nanoTime());
        }
    }

    /** A generation that was asked for at this time has arrived. */
    void arrived(long generation, long startNanos) {
        for (var stage : ORDER) {
            var at = seen.get(stage + "/" + generation);
            if (at != null) {
                times.computeIfAbsent(stage, _ -> new ArrayList<>()).add(Duration.ofNanos(at - startNanos));
            }
        }
    }

    /** Medians since the last print. */
    void print(PrintStream out) {
        times.forEach((stage, all) -> {
            if (!all.isEmpty()) {
                var sorted = all.stream().sorted().toList();
                out.printf(
                        "    %-66s p50 %4d ms, p95 %4d ms%n",
                        stage,
                        sorted.get(sorted.size() / 2).toMillis(),
                        sorted.get(sorted.size() * 95 / 100).toMillis());
            }
            all.clear();
        });
    }

    @Override
    public void close() {
        watch.close();
    }
}
