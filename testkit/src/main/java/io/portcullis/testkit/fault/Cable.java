package io.portcullis.testkit.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on a loopback port that can be cut. While it is cut, it closes every connection, old and new. It
 * partitions a process from one server without any other effect.
 */
public final class Cable implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    private final InetSocketAddress target;
    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    private Cable(InetSocketAddress target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
    }

    /** Starts a proxy to a server. It is connected at first. */
    public static Cable to(String host, int port) {
        try {
            var cable = new Cable(
                    new InetSocketAddress(host, port), new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            Thread.ofVirtual().name("cable-" + port).start(cable::accept);
            return cable;
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on loopback", e);
        }
    }

    /** Returns the port of 127.0.0.1 on which the proxy listens. */
    public int port() {
        return listener.getLocalPort();
    }

    public void cut() {
        cut = true;
        connections.forEach(Cable::end);
    }

    public void mend() {
        cut = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                Thread.ofVirtual().start(() -> forward(client));
            } catch (IOException e) {
                return; // The listener is closed.
            }
        }
    }

    private void forward(Socket client) {
        try (client;
                var server = new Socket()) {
            connections.add(client);
            connections.add(server);
            if (cut) {
                return;
            }
            server.connect(target, (int) CONNECT_LIMIT.toMillis());
            var back = Thread.ofVirtual().start(() -> copy(server, client));
            copy(client, server);
            back.join();
        } catch (IOException e) {
            // The client receives a closed connection.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(client);
        }
    }

    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The cable is cut, or one side closed its connection. Both sockets are closed.
        } finally {
            connections.remove(from);
            connections.remove(to);
        }
    }

    private static void end(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
