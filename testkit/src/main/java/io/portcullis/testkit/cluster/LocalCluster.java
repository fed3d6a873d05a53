package io.portcullis.testkit.cluster;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cluster of one run directory, through the script behind {@code ./portcullis cluster}. Its methods return when what
 * they ask for has happened; a failure carries what the script said.
 */
public final class LocalCluster {

    private static final Duration BUILD_LIMIT = Duration.ofMinutes(45);
    private static final Duration CHANGE_LIMIT = Duration.ofMinutes(5);

    private final Path script;
    private final Path run;

    public LocalCluster(Checkout checkout, Path run) {
        this.script = checkout.clusterScript();
        this.run = run;
    }

    /** Gets the tools and images for a level, or fails with the reason why this machine cannot have it. */
    public void prepare(Level level) {
        var outcome = command("prepare", "--level", level.number())
                .within(BUILD_LIMIT)
                .attempt();
        if (!outcome.succeeded()) {
            throw new ClusterException(
                    "no Kubernetes of level " + level.number() + " on this machine: " + outcome.errors());
        }
    }

    /** Starts it, unless it runs with at least that much already. A smaller one is replaced. */
    public void up(Level level, int nodes) {
        command("up", "--level", level.number(), "--nodes", Integer.toString(nodes))
                .within(CHANGE_LIMIT)
                .run();
    }

    /** From now on stands for an existing cluster; what would need its nodes then fails. */
    public void useKubeconfig(Path kubeconfig) {
        command("up", "--use-kubeconfig", kubeconfig.toString()).run();
    }

    /** Whether it is up with at least that much. */
    public boolean has(Level level, int nodes) {
        return command("has", "--level", level.number(), "--nodes", Integer.toString(nodes))
                .attempt()
                .succeeded();
    }

    public void down() {
        command("down").within(CHANGE_LIMIT).run();
    }

    public Path kubeconfig() {
        return run.resolve("kubeconfig/admin");
    }

    /** The address at which the API server, nodes and pods reach a process on this machine. */
    public String hostAddress() {
        return command("host-address").run();
    }

    /** A directory that all nodes see at the same path; stands for ReadWriteMany storage. */
    public Path sharedDirectory() {
        return run.resolve("shared");
    }

    /** Where a node keeps its state, that of its kubelet too. */
    public Path nodeDirectory(String node) {
        return run.resolve(node);
    }

    /** Puts an image on every node. */
    public void loadImage(Path tar) {
        command("load-image", tar.toString()).within(CHANGE_LIMIT).run();
    }

    /** Kills all processes of a node at once, as if its power failed. Node 1 holds the control plane. */
    public void stopNode(int node) {
        nodeCommand("stop-node", node);
    }

    public void startNode(int node) {
        nodeCommand("start-node", node);
    }

    /** Pulls a node's network cable: its processes run on, unreachable. */
    public void cutNode(int node) {
        nodeCommand("cut-node", node);
    }

    public void healNode(int node) {
        nodeCommand("heal-node", node);
    }

    /** A process of node 1, on which the control plane runs, that can be stopped and started again. */
    public enum Daemon {
        ETCD("etcd"),
        API_SERVER("kube-apiserver"),
        /** While it is stopped, Services lead where they led before. */
        SERVICE_PROXY("kube-proxy");

        private final String program;

        Daemon(String program) {
            this.program = program;
        }
    }

    /** Kills a process without a chance to clean up; its data stays. */
    public void stop(Daemon daemon) {
        command("stop-daemon", daemon.program).within(CHANGE_LIMIT).run();
    }

    /** Starts a stopped process again; returns when the API server is ready. */
    public void start(Daemon daemon) {
        command("start-daemon", daemon.program).within(CHANGE_LIMIT).run();
    }

    /** Compacts etcd: lists that somebody is paging through expire, some seconds later at most. */
    public void forgetHistory() {
        command("forget-history").within(CHANGE_LIMIT).run();
    }

    private void nodeCommand(String verb, int node) {
        command(verb, Integer.toString(node)).within(CHANGE_LIMIT).run();
    }

    private ShellCommand command(String... words) {
        var all = new ArrayList<>(List.of(script.toString()));
        all.addAll(List.of(words));
        return ShellCommand.of(all).with("PORTCULLIS_RUN", run.toString());
    }
}
