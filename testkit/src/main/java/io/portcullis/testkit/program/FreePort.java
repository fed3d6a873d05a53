package io.portcullis.testkit.program;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for a server that a test starts later. The port is below the range from which the kernel chooses ports of
 * outgoing connections. A port of that range could be taken by any connection on this machine before the server listens on it.
 */
public final class FreePort {

    private static final int FIRST = 10_000;
    private static final int LAST = 29_999;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    /** Returns a port on which no process listens, on any address. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException(ATTEMPTS + " ports between " + FIRST + " and " + LAST + " are all in use");
    }

    private static boolean isFree(int port) {
        try (var _ = new ServerSocket(port, 1, InetAddress.ofLiteral("0.0.0.0"))) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }
}
