package io.portcullis.artifacts.http;

import io.portcullis.artifacts.source.Sources;
import io.portcullis.process.tls.ClientTls;
import java.io.IOException;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Creates and caches one JDK HTTP client per trust configuration. Hosts without their own CA share one client.
 * Thread-safe.
 */
final class Clients implements AutoCloseable {

    private record Key(Security security, String host) {}

    private final Sources sources;
    private final HttpLimits limits;
    private final ConcurrentMap<Key, HttpClient> clients = new ConcurrentHashMap<>();
    private final ConcurrentMap<Key, SSLContext> contexts = new ConcurrentHashMap<>();

    Clients(Sources sources, HttpLimits limits) {
        this.sources = sources;
        this.limits = limits;
    }

    HttpClient clientFor(String host, Security security) {
        return clients.computeIfAbsent(key(host, security), this::create);
    }

    /** Returns the TLS context for this host; empty for plain HTTP. */
    Optional<SSLContext> tlsFor(String host, Security security) {
        return security == Security.PLAIN
                ? Optional.empty()
                : Optional.of(contexts.computeIfAbsent(key(host, security), this::context));
    }

    private Key key(String host, Security security) {
        var own = security == Security.VERIFIED && sources.authorities().containsKey(host);
        return new Key(security, own ? host : "");
    }

    private SSLContext context(Key key) {
        var tls = ClientTls.of(sources.authorities().getOrDefault(key.host(), List.of()));
        return key.security() == Security.VERIFIED ? tls.trustingTheMachine() : tls.trustingAnybody();
    }

    private HttpClient create(Key key) {
        var builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(limits.connect())
                .proxy(new ConfiguredProxies());
        proxyCredentials().ifPresent(builder::authenticator);
        tlsFor(key.host(), key.security()).ifPresent(builder::sslContext);
        return builder.build();
    }

    private Optional<Authenticator> proxyCredentials() {
        var proxies = sources.proxies();
        var withUser = proxies.http().or(proxies::https).filter(uri -> uri.getUserInfo() != null);
        return withUser.map(_ -> new ProxyLogin());
    }

    private static Optional<PasswordAuthentication> login(URI proxy) {
        return Optional.ofNullable(proxy.getUserInfo())
                .map(info -> info.split(":", 2))
                .map(parts -> new PasswordAuthentication(parts[0], (parts.length > 1 ? parts[1] : "").toCharArray()));
    }

    private final class ProxyLogin extends Authenticator {
        @Override
        protected @Nullable PasswordAuthentication getPasswordAuthentication() {
            if (getRequestorType() != RequestorType.PROXY) {
                return null;
            }
            return sources.proxies()
                    .proxyFor(URI.create(getRequestingURL().toString()))
                    .flatMap(Clients::login)
                    .orElse(null);
        }
    }

    private final class ConfiguredProxies extends ProxySelector {
        @Override
        public List<Proxy> select(URI target) {
            return sources.proxies()
                    .proxyFor(target)
                    .map(proxy -> new InetSocketAddress(proxy.getHost(), proxy.getPort() < 0 ? 80 : proxy.getPort()))
                    .map(address -> List.of(new Proxy(Proxy.Type.HTTP, address)))
                    .orElse(List.of(Proxy.NO_PROXY));
        }

        @Override
        public void connectFailed(URI target, SocketAddress proxy, IOException failure) {
            // The request itself fails with the same exception.
        }
    }

    @Override
    public void close() {
        clients.values().forEach(HttpClient::shutdownNow);
    }
}
