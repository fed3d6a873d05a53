package io.portcullis.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Simulates kube-proxy for a Service: each new connection goes to the next replica and stays there. */
public final class ServiceProxy implements AutoCloseable {

    private final ServerSocket socket;
    private final List<Integer> replicas;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private ServiceProxy(ServerSocket socket, List<Integer> replicas) {
        this.socket = socket;
        this.replicas = replicas;
    }

    /** @param replicas ports on loopback, used in turn */
    public static ServiceProxy start(List<Integer> replicas) {
        try {
            var proxy = new ServiceProxy(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()), replicas);
            proxy.threads.execute(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        for (int i = 0; !socket.isClosed(); i++) {
            try {
                var client = socket.accept();
                var replica = new Socket(InetAddress.getLoopbackAddress(), replicas.get(i % replicas.size()));
                threads.execute(() -> copy(client, replica));
                threads.execute(() -> copy(replica, client));
            } catch (IOException e) {
                // The proxy is closed, or the replica is missing; the client sees a closed connection.
            }
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side closed the connection; close the other too.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
