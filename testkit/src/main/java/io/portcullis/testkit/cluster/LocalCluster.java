package io.portcullis.testkit.cluster;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cluster of one run directory, controlled through the script behind {@code ./portcullis cluster}. Each method
 * returns when the requested change is complete. An exception contains the output of the script.
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

    /** Gets the tools and images for a level, or fails with the reason why this machine cannot run that level. */
    public void prepare(Level level) {
        var outcome = command("prepare", "--level", level.number())
                .within(BUILD_LIMIT)
                .attempt();
        if (!outcome.succeeded()) {
            throw new ClusterException(
                    "no Kubernetes of level " + level.number() + " on this machine: " + outcome.errors());
        }
    }

    /**
     * Starts the cluster, unless it already runs with at least this level and node count. Replaces a smaller cluster.
     */
    public void up(Level level, int nodes) {
        command("up", "--level", level.number(), "--nodes", Integer.toString(nodes))
                .within(CHANGE_LIMIT)
                .run();
    }

    /** Uses an existing cluster from now on. Operations that need access to its nodes then fail. */
    public void useKubeconfig(Path kubeconfig) {
        command("up", "--use-kubeconfig", kubeconfig.toString()).run();
    }

    /** Returns whether the cluster is up with at least this level and node count. */
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

    /** Returns the address at which the API server, nodes and pods reach a process on this machine. */
    public String hostAddress() {
        return command("host-address").run();
    }

    /** Returns a directory that all nodes mount at the same path. It represents ReadWriteMany storage. */
    public Path sharedDirectory() {
        return run.resolve("shared");
    }

    /** Returns the directory with the state of a node, including the state of its kubelet. */
    public Path nodeDirectory(String node) {
        return run.resolve(node);
    }

    /** Loads an image into every node. */
    public void loadImage(Path tar) {
        command("load-image", tar.toString()).within(CHANGE_LIMIT).run();
    }

    /** Kills all processes of a node at once, as a power failure does. Node 1 runs the control plane. */
    public void stopNode(int node) {
        nodeCommand("stop-node", node);
    }

    public void startNode(int node) {
        nodeCommand("start-node", node);
    }

    /** Disconnects the network of a node. Its processes continue to run but are unreachable. */
    public void cutNode(int node) {
        nodeCommand("cut-node", node);
    }

    public void healNode(int node) {
        nodeCommand("heal-node", node);
    }

    /** A process of node 1 that can be stopped and started again. Node 1 runs the control plane. */
    public enum Daemon {
        ETCD("etcd"),
        API_SERVER("kube-apiserver"),
        /** While kube-proxy is stopped, Services keep their last endpoints. */
        SERVICE_PROXY("kube-proxy");

        private final String program;

        Daemon(String program) {
            this.program = program;
        }
    }

    /** Kills a process without a chance to clean up. Its data stays. */
    public void stop(Daemon daemon) {
        command("stop-daemon", daemon.program).within(CHANGE_LIMIT).run();
    }

    /** Starts a stopped process again. Returns when the API server is ready. */
    public void start(Daemon daemon) {
        command("start-daemon", daemon.program).within(CHANGE_LIMIT).run();
    }

    /** Compacts etcd, so that the continue tokens of paged lists expire within a few seconds. */
    public void compactEtcd() {
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
