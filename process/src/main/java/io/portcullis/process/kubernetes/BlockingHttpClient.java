package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpHeaders;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import io.portcullis.process.http.HttpAnswer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** See {@link BlockingHttpFactory}. Thread-safe. */
final class BlockingHttpClient
        extends StandardHttpClient<BlockingHttpClient, BlockingHttpFactory, BlockingHttpBuilder> {

    private final JdkHttpClientImpl streams;
    private final Optional<ApiConnections> connections;

    /** @param connections for requests with one response; when empty, the streaming client sends them too */
    BlockingHttpClient(
            BlockingHttpBuilder builder,
            JdkHttpClientImpl streams,
            Optional<ApiConnections> connections,
            AtomicBoolean closed) {
        super(builder, closed);
        this.streams = streams;
        this.connections = connections;
    }

    BlockingHttpClient with(BlockingHttpBuilder other) {
        return new BlockingHttpClient(other, streams, connections, getClosed());
    }

    @Override
    public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(
            StandardHttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        if (connections.isEmpty() || request.isForStreaming()) {
            return streams.consumeBytesDirect(request, consumer);
        }
        var answer = new CompletableFuture<HttpResponse<AsyncBody>>();
        Thread.ofVirtual().name("api-request").start(() -> {
            try {
                answer.complete(new Answer(request, connections.get().exchange(request), consumer));
            } catch (Exception | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Override
    public CompletableFuture<WebSocketResponse> buildWebSocketDirect(
            StandardWebSocketBuilder request, WebSocket.Listener listener) {
        return streams.buildWebSocketDirect(request, listener);
    }

    @Override
    protected void doClose() {
        connections.ifPresent(ApiConnections::close);
        streams.close();
    }

    private static final class Answer extends StandardHttpHeaders implements HttpResponse<AsyncBody> {

        private final StandardHttpRequest request;
        private final int status;
        private final AsyncBody body;

        Answer(StandardHttpRequest request, HttpAnswer answer, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
            super(answer.headers());
            this.request = request;
            this.status = answer.status();
            this.body =
                    new WholeBody(answer.pieces().stream().map(ByteBuffer::wrap).toList(), consumer);
        }

        @Override
        public int code() {
            return status;
        }

        @Override
        public AsyncBody body() {
            return body;
        }

        @Override
        public HttpRequest request() {
            return request;
        }

        @Override
        public Optional<HttpResponse<?>> previousResponse() {
            return Optional.empty();
        }
    }

    /** A complete body: the first call of {@link #consume} delivers it, the second ends it. */
    private static final class WholeBody implements AsyncBody {

        private final List<ByteBuffer> pieces;
        private final AsyncBody.Consumer<List<ByteBuffer>> consumer;
        private final AtomicBoolean isTaken = new AtomicBoolean();
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        WholeBody(List<ByteBuffer> pieces, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
            this.pieces = pieces;
            this.consumer = consumer;
        }

        @Override
        public void consume() {
            if (pieces.isEmpty() || !isTaken.compareAndSet(false, true)) {
                done.complete(null);
                return;
            }
            try {
                consumer.consume(pieces, this);
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        }

        @Override
        public CompletableFuture<Void> done() {
            return done;
        }

        @Override
        public void cancel() {
            done.cancel(false);
        }
    }
}
