package io.portcullis.process.tls;

import io.portcullis.process.files.FileWatch;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * TLS for a server that reloads its certificate files. New connections use the current files; established connections
 * keep their certificate.
 */
public final class ServerTls implements AutoCloseable {

    private final Reloading<Identity> identity;
    private final Optional<Reloading<ClientTrust>> clients;
    private final FileWatch watch;

    private ServerTls(TlsFiles files, Duration poll) {
        identity = new Reloading<>(
                "server certificate",
                List.of(files.certificate(), files.key()),
                () -> Identity.load(files.certificate(), files.key()));
        clients = files.clientAuthorities().isEmpty()
                ? Optional.empty()
                : Optional.of(new Reloading<>(
                        "client authorities",
                        files.clientAuthorities(),
                        () -> ClientTrust.load(files.clientAuthorities())));
        watch = FileWatch.start("tls", files.all(), poll, this::check);
    }

    /** @throws TlsException when the files cannot be used */
    public static ServerTls start(TlsFiles files) {
        return new ServerTls(files, FileWatch.POLL);
    }

    static ServerTls start(TlsFiles files, Duration poll) {
        return new ServerTls(files, poll);
    }

    public SSLContext context() {
        return context(
                new ReloadingKeyManager(identity::current),
                clients.map(reloading -> new ReloadingTrustManager(reloading::current)));
    }

    static SSLContext context(ReloadingKeyManager keys, Optional<ReloadingTrustManager> clients) {
        try {
            var context = SSLContext.getInstance("TLS");
            var trust = clients.map(manager -> new TrustManager[] {manager});
            context.init(new KeyManager[] {keys}, trust.orElse(new TrustManager[0]), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new TlsException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** Whether clients must present a certificate. */
    public boolean requiresClientCertificate() {
        return clients.isPresent();
    }

    /** Returns why the current files could not be loaded; empty when they were loaded. */
    public Optional<String> lastError() {
        return Stream.concat(identity.lastError().stream(), clients.flatMap(Reloading::lastError).stream())
                .findFirst();
    }

    /** Checks the files now. */
    void check() {
        identity.check();
        clients.ifPresent(Reloading::check);
    }

    @Override
    public void close() {
        watch.close();
    }
}
