package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.HttpClient;

/**
 * Carries what a Kubernetes client asks and is answered over blocking connections, a virtual thread each, which takes a
 * fraction of the time that {@link java.net.http.HttpClient} takes. That one still carries watches, and everything where
 * a proxy stands between.
 */
public final class BlockingHttpFactory implements HttpClient.Factory {

    @Override
    public HttpClient.Builder newBuilder() {
        return new BlockingHttpBuilder(this);
    }
}
