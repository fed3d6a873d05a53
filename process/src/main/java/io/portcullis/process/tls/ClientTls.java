package io.portcullis.process.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * TLS for a short-lived client: trusted authorities and an optional client certificate. Files are read once, by
 * {@link #load}. Immutable.
 */
public final class ClientTls {

    private final List<X509Certificate> authorities;
    private final KeyManager[] identity;

    private ClientTls(List<X509Certificate> authorities, KeyManager[] identity) {
        this.authorities = List.copyOf(authorities);
        this.identity = identity;
    }

    /**
     * @param authorities trusted in addition to those of each server
     * @param identity certificate and key for servers that request a client certificate
     * @throws TlsException when the files cannot be used
     */
    public static ClientTls load(List<Path> authorities, Optional<TlsFiles> identity) {
        var trusted = authorities.stream()
                .flatMap(file -> Pem.read(file).certificates().stream())
                .toList();
        return new ClientTls(
                trusted,
                identity.map(files ->
                                Identity.load(files.certificate(), files.key()).keyManagers())
                        .orElse(new KeyManager[0]));
    }

    /** @param authorities trusted in addition to those of each server */
    public static ClientTls of(List<X509Certificate> authorities) {
        return new ClientTls(authorities, new KeyManager[0]);
    }

    /** @param identity the keys for servers that request a client certificate; may be none */
    public static ClientTls presenting(KeyManager[] identity) {
        return new ClientTls(List.of(), identity);
    }

    /** Trusts the system authorities and the loaded ones. */
    public SSLContext trustingTheMachine() {
        try {
            var store = emptyStore();
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            for (var manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager roots) {
                    add(store, List.of(roots.getAcceptedIssuers()));
                }
            }
            return context(store);
        } catch (GeneralSecurityException | IOException e) {
            throw unusable(e);
        }
    }

    /** Trusts only the authorities in a bundle and the loaded ones. */
    public SSLContext trusting(String pem) {
        try {
            var store = emptyStore();
            add(store, Pem.parse("the CA bundle", pem).certificates());
            return context(store);
        } catch (GeneralSecurityException | IOException e) {
            throw unusable(e);
        }
    }

    /** Trusts every server, without any check. */
    public SSLContext trustingAnybody() {
        try {
            return context(new TrustManager[] {new TrustEverything()});
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    private SSLContext context(KeyStore store) throws GeneralSecurityException {
        add(store, authorities);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return context(trust.getTrustManagers());
    }

    private SSLContext context(TrustManager[] trust) throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(identity, trust, null);
        return context;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static void add(KeyStore store, List<X509Certificate> certificates) throws GeneralSecurityException {
        for (var certificate : certificates) {
            store.setCertificateEntry("ca-" + store.size(), certificate);
        }
    }

    private static TlsException unusable(Exception e) {
        return new TlsException("TLS cannot be set up: " + e.getMessage(), e);
    }

    /** Extends X509ExtendedTrustManager, because the JDK adds host name checks to other trust managers. */
    private static final class TrustEverything extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
