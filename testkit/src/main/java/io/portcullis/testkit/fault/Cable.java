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
 * A line to a server that can be cut: a port of loopback that leads there. Cut, it ends every connection and accepts no
 * new one, so that a process behind it is partitioned from that server and from nothing else.
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

    /** Lays it; whole at first. */
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

    /** Connect to this port of 127.0.0.1 instead. */
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
                var here = listener.accept();
                Thread.ofVirtual().start(() -> join(here));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void join(Socket here) {
        try (here;
                var there = new Socket()) {
            connections.add(here);
            connections.add(there);
            if (cut) {
                return;
            }
            there.connect(target, (int) CONNECT_LIMIT.toMillis());
            var back = Thread.ofVirtual().start(() -> copy(there, here));
            copy(here, there);
            back.join();
        } catch (IOException e) {
            // Whoever connected sees a connection that ends.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(here);
        }
    }

    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // Cut, or one side has gone: both ends are closed.
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
