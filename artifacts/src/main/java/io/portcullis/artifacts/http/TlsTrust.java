package io.portcullis.artifacts.http;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Builds TLS contexts with the certificate authorities that a client trusts. */
final class TlsTrust {

    private TlsTrust() {}

    /** Trusts the system's authorities and the given ones. */
    static SSLContext with(List<X509Certificate> extra) throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int entry = 0;
        for (var certificate : systemAuthorities()) {
            store.setCertificateEntry("authority-" + entry++, certificate);
        }
        for (var certificate : extra) {
            store.setCertificateEntry("authority-" + entry++, certificate);
        }
        return context(managers(store));
    }

    /** Trusts every certificate. Only for hosts that the operator listed as insecure. */
    static SSLContext acceptAll() throws GeneralSecurityException {
        return context(new TrustManager[] {new AcceptAllTrustManager()});
    }

    private static List<X509Certificate> systemAuthorities() throws GeneralSecurityException {
        return Arrays.stream(managers(null))
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .flatMap(manager -> Arrays.stream(manager.getAcceptedIssuers()))
                .toList();
    }

    private static TrustManager[] managers(@Nullable KeyStore store) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static SSLContext context(TrustManager[] managers) throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers, new SecureRandom());
        return context;
    }

    /** Accepts every certificate. Extends the extended manager so that the JDK does not check the host name either. */
    private static final class AcceptAllTrustManager extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
