package io.portcullis.testkit.hostpods;

import io.portcullis.testkit.program.ShellCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/**
 * Additional addresses of this machine on the cluster's bridge, one for each pod, so that all pods can use the same
 * port.
 */
final class HostAddresses implements AutoCloseable {

    private static final int FIRST = 100;
    private static final int LAST = 250;

    private final String network;
    private final String device;
    private final List<String> taken = new ArrayList<>();
    private int next = FIRST;

    private HostAddresses(String network, String device) {
        this.network = network;
        this.device = device;
    }

    /**
     * Creates the pool.
     *
     * @param host the first address of the machine on the bridge
     */
    static HostAddresses of(String host) {
        var line = ShellCommand.of("ip", "-o", "-4", "addr", "show", "to", host).run();
        var words = new StringTokenizer(line);
        words.nextToken();
        return new HostAddresses(host.substring(0, host.lastIndexOf('.') + 1), words.nextToken());
    }

    String take() {
        while (next <= LAST) {
            var address = network + next++;
            var added = ShellCommand.of("ip", "addr", "add", address + "/24", "dev", device)
                    .attempt()
                    .succeeded();
            if (added) {
                taken.add(address);
                return address;
            }
        }
        throw new IllegalStateException("no address left on " + device);
    }

    @Override
    public void close() {
        taken.forEach(address -> ShellCommand.of("ip", "addr", "del", address + "/24", "dev", device)
                .attempt());
    }
}
