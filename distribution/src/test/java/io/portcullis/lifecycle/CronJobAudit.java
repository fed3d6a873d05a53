package io.portcullis.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.Tools;
import java.time.Duration;

/**
 * An audit by the chart's CronJob, which is installed in the namespace of the test: its image, its service account and
 * roles, its mounts.
 *
 * @param watched the namespace whose objects are audited
 */
record CronJobAudit(TestCluster cluster, String watched) {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String JOB = "audit-now";

    /** A privileged pod from before there was a policy. No node ever starts it: its image does not exist. */
    void makePrivilegedPod(String name) {
        cluster.client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(watched)
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("main")
                        .withImage("localhost/nothing:1")
                        .withImagePullPolicy("Never")
                        .withNewSecurityContext()
                        .withPrivileged(true)
                        .endSecurityContext()
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    /** Starts the CronJob's job as an administrator would, and waits for its end; what the scanner logged. */
    String run() {
        ShellCommand.of(
                        Tools.current().path("kubectl").toString(),
                        "--kubeconfig",
                        cluster.local().kubeconfig().toString(),
                        "--namespace",
                        cluster.namespace(),
                        "create",
                        "job",
                        JOB,
                        "--from=cronjob/audit-scanner")
                .run();
        var job = cluster.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(cluster.namespace())
                .withName(JOB);
        var ended = cluster.await(job, CronJobAudit::hasEnded, LIMIT);
        var log = job.getLog();
        if (!isTrue(ended, "Complete")) {
            throw new AssertionError("the audit failed: " + log);
        }
        return log;
    }

    private static boolean hasEnded(Job job) {
        return isTrue(job, "Complete") || isTrue(job, "Failed");
    }

    private static boolean isTrue(Job job, String type) {
        return job.getStatus() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals(type)
                                && condition.getStatus().equals("True"));
    }

    /** The report on an object of the watched namespace. */
    JsonNode report(String object) {
        var list = cluster.client().raw("/apis/openreports.io/v1alpha1/namespaces/" + watched + "/reports");
        for (var report : Serialization.unmarshal(list, JsonNode.class).path("items")) {
            if (report.at("/scope/name").asText().equals(object)) {
                return report;
            }
        }
        throw new AssertionError("no report on " + object + " in " + list);
    }
}
