package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Builds {@link BlockingHttpClient}. A client that is derived from another client shares its connections. */
final class BlockingHttpBuilder
        extends StandardHttpClientBuilder<BlockingHttpClient, BlockingHttpFactory, BlockingHttpBuilder> {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    BlockingHttpBuilder(BlockingHttpFactory factory) {
        super(factory);
    }

    @Override
    public HttpClient build() {
        if (client != null) {
            return client.with(this);
        }
        return new BlockingHttpClient(this, streams(), connections(), new AtomicBoolean());
    }

    private Optional<ApiConnections> connections() {
        if (proxyAddress != null && proxyType != HttpClient.ProxyType.DIRECT) {
            addProxyAuthInterceptor();
            return Optional.empty();
        }
        var limit = connectTimeout == null || connectTimeout.isZero() ? CONNECT_LIMIT : connectTimeout;
        return Optional.of(
                new ApiConnections(Optional.ofNullable(sslContext), Optional.ofNullable(tlsServerName), limit));
    }

    private JdkHttpClientImpl streams() {
        HttpClient.Builder builder = new JdkHttpClientFactory().newBuilder();
        if (connectTimeout != null) {
            builder.connectTimeout(connectTimeout.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (sslContext != null) {
            builder.sslContext(keyManagers, trustManagers);
        }
        if (tlsVersions != null) {
            builder.tlsVersions(tlsVersions);
        }
        if (proxyType != null) {
            builder.proxyType(proxyType);
        }
        builder.proxyAddress(proxyAddress);
        if (preferHttp11) {
            builder.preferHttp11();
        }
        if (followRedirects) {
            builder.followAllRedirects();
        }
        return (JdkHttpClientImpl) Objects.requireNonNull(builder.build());
    }

    @Override
    protected BlockingHttpBuilder newInstance(BlockingHttpFactory factory) {
        return new BlockingHttpBuilder(factory);
    }
}
