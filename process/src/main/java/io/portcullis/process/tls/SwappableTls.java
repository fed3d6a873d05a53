package io.portcullis.process.tls;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS for a server whose certificates come as text, from a watch for instance, and may come late: until then handshakes
 * fail. New connections get what was set last; established ones keep what they began with. Thread-safe.
 */
public final class SwappableTls {

    private final boolean requiresClientCertificate;
    private volatile @Nullable Identity identity;
    private volatile ClientTrust clients = ClientTrust.of(List.of());

    /** @param requiresClientCertificate whether clients have to show one; nobody is trusted before {@link #trust} */
    public SwappableTls(boolean requiresClientCertificate) {
        this.requiresClientCertificate = requiresClientCertificate;
    }

    /**
     * Shows this certificate from now on.
     *
     * @param source what messages call it
     * @throws TlsException when they cannot be used; then the last ones stay
     */
    public void show(String source, String certificatePem, String keyPem) {
        identity = Identity.parse(source, certificatePem, keyPem);
    }

    /**
     * Trusts these authorities of client certificates, and no others.
     *
     * @param authorities texts in PEM by what messages call them
     * @throws TlsException when they cannot be used; then the last ones stay
     */
    public void trust(Map<String, String> authorities) {
        clients = ClientTrust.of(authorities.entrySet().stream()
                .map(entry -> Pem.parse(entry.getKey(), entry.getValue()))
                .toList());
    }

    /** Whether there is a certificate to show. */
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
