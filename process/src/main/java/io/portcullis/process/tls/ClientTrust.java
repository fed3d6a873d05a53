package io.portcullis.process.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The authorities for client certificates, from one or more files. */
record ClientTrust(X509ExtendedTrustManager manager) {

    /** Logs {@code certs: Loaded client CA certificates} as Kubewarden's policy server does, because operators search for it. */
    private static final Logger log = LoggerFactory.getLogger("io.portcullis.process.certs");

    static ClientTrust load(List<Path> files) {
        var authorities = files.stream().map(Pem::read).toList();
        var trust = of(authorities);
        for (var pem : authorities) {
            log.atInfo()
                    .addKeyValue("client_ca_certs_added", pem.certificates().size())
                    .addKeyValue("file", pem.source())
                    .log("Loaded client CA certificates");
        }
        return trust;
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
