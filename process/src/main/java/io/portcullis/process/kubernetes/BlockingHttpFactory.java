package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.HttpClient;

/**
 * HTTP transport for a Kubernetes client over blocking connections, with one virtual thread per request. It takes a
 * fraction of the time that {@link java.net.http.HttpClient} takes. The JDK client still carries watches, and all
 * requests through a proxy.
 */
public final class BlockingHttpFactory implements HttpClient.Factory {

    @Override
    public HttpClient.Builder newBuilder() {
        return new BlockingHttpBuilder(this);
    }
}
