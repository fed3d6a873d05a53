package io.portcullis.testkit.cluster;

import io.portcullis.testkit.Checkout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * Where the cluster of a test run lives.
 *
 * @param path the directory
 * @param ours whether the JVM that starts the cluster also stops it; a directory that the caller named is the caller's
 */
record RunDirectory(Path path, boolean ours) {

    /**
     * @param fork which of Maven's JVMs for tests this is: each has a cluster of its own, because what tests define for a whole
     *     cluster (kinds, webhooks) would meet there
     */
    static RunDirectory forTests(Checkout checkout, Map<String, String> environment, int fork) {
        var own = fork <= 1 ? "" : "-" + fork;
        var named = environment.get("PORTCULLIS_RUN");
        if (named != null) {
            return new RunDirectory(Path.of(named + own), false);
        }
        // One per checkout: tests of two working trees must not meet in one cluster.
        var tree = UUID.nameUUIDFromBytes(checkout.root().toString().getBytes(StandardCharsets.UTF_8));
        var state = environment.getOrDefault("XDG_STATE_HOME", System.getProperty("user.home") + "/.local/state");
        return new RunDirectory(
                Path.of(state, "portcullis", "test-" + tree.toString().substring(0, 8) + own), true);
    }
}
