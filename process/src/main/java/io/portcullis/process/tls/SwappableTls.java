package io.portcullis.process.tls;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS for a server whose certificates are set as text, for example from a watch. Handshakes fail until a certificate is
 * set. New connections use the last certificate; established connections keep theirs. Thread-safe.
 */
public final class SwappableTls {

    private final boolean requiresClientCertificate;
    private volatile @Nullable Identity identity;
    private volatile ClientTrust clients = ClientTrust.of(List.of());

    /** @param requiresClientCertificate whether clients must present one; no client is trusted before {@link #trust} */
    public SwappableTls(boolean requiresClientCertificate) {
        this.requiresClientCertificate = requiresClientCertificate;
    }

    /**
     * Presents this certificate to new connections.
     *
     * @param source the name of the source in error messages
     * @throws TlsException when they cannot be used; then the last ones stay
     */
    public void show(String source, String certificatePem, String keyPem) {
        identity = Identity.parse(source, certificatePem, keyPem);
    }

    /**
     * Trusts only these authorities for client certificates.
     *
     * @param authorities PEM texts; the keys are their names in error messages
     * @throws TlsException when they cannot be used; then the last ones stay
     */
    public void trust(Map<String, String> authorities) {
        clients = ClientTrust.of(authorities.entrySet().stream()
                .map(entry -> Pem.parse(entry.getKey(), entry.getValue()))
                .toList());
    }

    /** Whether a certificate is set. */
    public boolean isReady() {
        return identity != null;
    }

    public boolean requiresClientCertificate() {
        return requiresClientCertificate;
    }

    public SSLContext context() {
        return ServerTls.context(
                new ReloadingKeyManager(() -> identity),
                requiresClientCertificate ? Optional.of(new ReloadingTrustManager(() -> clients)) : Optional.empty());
    }
}
