package io.portcullis.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The ports of a policy server on loopback. */
record Ports(int api, int probe) {

    /**
     * Where attacks come from. The tenants behind the API server have another address, 127.0.0.1: the listener closes connections of
     * the address that holds most of them first.
     */
    static final InetAddress ATTACKER = InetAddress.ofLiteral("127.0.0.2");

    static Socket connect(int port) throws IOException {
        return connect(port, InetAddress.getLoopbackAddress());
    }

    static Socket connectAsAttacker(int port) throws IOException {
        return connect(port, ATTACKER);
    }

    private static Socket connect(int port, InetAddress source) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(source, 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
        socket.setSoTimeout(10_000);
        return socket;
    }
}
