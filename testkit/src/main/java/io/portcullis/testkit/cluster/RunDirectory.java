package io.portcullis.testkit.cluster;

import io.portcullis.testkit.Checkout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * The directory of the cluster that a test run uses.
 *
 * @param path the directory
 * @param ours whether the JVM that starts the cluster also stops it; false if the caller chose the directory
 */
record RunDirectory(Path path, boolean ours) {

    /**
     * Returns the run directory for the tests of a JVM.
     *
     * @param fork the number of this Maven test JVM. Each JVM has its suffix cluster, because cluster-wide objects of
     *     tests (CRDs, webhooks) would conflict in a shared one.
     */
    static RunDirectory forTests(Checkout checkout, Map<String, String> environment, int fork) {
        var suffix = fork <= 1 ? "" : "-" + fork;
        var named = environment.get("PORTCULLIS_RUN");
        if (named != null) {
            return new RunDirectory(Path.of(named + suffix), false);
        }
        // One directory for each checkout, so that tests of two working trees never share a cluster.
        var tree = UUID.nameUUIDFromBytes(checkout.root().toString().getBytes(StandardCharsets.UTF_8));
        var state = environment.getOrDefault("XDG_STATE_HOME", System.getProperty("user.home") + "/.local/state");
        return new RunDirectory(
                Path.of(state, "portcullis", "test-" + tree.toString().substring(0, 8) + suffix), true);
    }
}
