package io.portcullis.process.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents the current server identity, if there is one. A handshake first chooses an alias and later reads chain and key. The alias
 * stands for one identity, so that a reload in between cannot mix two identities.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {

    private static final int MAX_CACHED = 8;

    private final Supplier<@Nullable Identity> identity;
    private final Map<String, Identity> chosen = new ConcurrentHashMap<>();

    ReloadingKeyManager(Supplier<@Nullable Identity> identity) {
        this.identity = identity;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        return choose(keyType);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, Socket socket) {
        return choose(keyType);
    }

    private @Nullable String choose(String keyType) {
        var current = identity.get();
        if (current == null) {
            return null;
        }
        var algorithm = current.certificate().getPublicKey().getAlgorithm();
        if (!family(keyType).equals(family(algorithm))) {
            return null;
        }
        var alias = current.certificate().getSerialNumber().toString(16) + "@" + current.hashCode();
        if (chosen.size() >= MAX_CACHED && !chosen.containsKey(alias)) {
            chosen.clear();
        }
        chosen.put(alias, current);
        return alias;
    }

    /** Returns a common prefix: the JDK requests {@code EC} and {@code EC_EC}, {@code EdDSA} and {@code Ed25519}. */
    private static String family(String algorithm) {
        return algorithm.substring(0, Math.min(2, algorithm.length()));
    }

    /** Returns the identity of an alias. Null only before the first identity, when no alias is chosen. */
    private @Nullable Identity byAlias(String alias) {
        var remembered = chosen.get(alias);
        return remembered == null ? identity.get() : remembered;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        var identity = byAlias(alias);
        return identity == null ? null : identity.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        var identity = byAlias(alias);
        return identity == null ? null : identity.key();
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        var alias = choose(keyType);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        throw new UnsupportedOperationException("a server's key: " + Arrays.toString(keyTypes));
    }
}
