package io.portcullis.process.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The authorities that may vouch for clients, from one or more files. */
record ClientTrust(X509ExtendedTrustManager manager) {

    static ClientTrust load(List<Path> files) {
        return of(files.stream().map(Pem::read).toList());
    }

    static ClientTrust of(List<Pem> authorities) {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (var pem : authorities) {
                for (var authority : pem.certificates()) {
                    store.setCertificateEntry("ca-" + store.size(), authority);
                }
            }
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return new ClientTrust((X509ExtendedTrustManager) factory.getTrustManagers()[0]);
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException(
                    "cannot use the client authorities in "
                            + authorities.stream().map(Pem::source).toList() + ": " + e.getMessage(),
                    e);
        }
    }
}
