package io.portcullis.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The ports of a policy server on loopback. */
record Ports(int api, int probe) {

    /**
     * The address that the other tenant's requests come from, as in a cluster, where they come from the API server. Attacks come from
     * 127.0.0.1. The listener first closes connections of the address that holds most of them.
     */
    static final InetAddress NEIGHBOUR = InetAddress.ofLiteral("127.0.0.2");

    static Socket connect(int port) throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
        socket.setSoTimeout(10_000);
        return socket;
    }
}
