package io.portcullis.process.tls;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

/**
 * Reads private keys with the JDK alone, which supports PKCS#8 only: PKCS#1 (RSA) and SEC 1 (EC) keys are wrapped into a
 * PKCS#8 envelope first.
 */
final class PrivateKeys {

    private static final byte[] RSA_ALGORITHM = Pkcs8Encoding.sequence(
            Pkcs8Encoding.objectIdentifier(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01), Pkcs8Encoding.NULL);
    private static final byte[] EC_OBJECT_IDENTIFIER =
            Pkcs8Encoding.objectIdentifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);

    private PrivateKeys() {}

    static PrivateKey read(Pem pem) {
        var source = pem.source();
        var keys = pem.blocks().stream()
                .filter(block -> block.type().endsWith("PRIVATE KEY"))
                .toList();
        if (keys.size() != 1) {
            throw new TlsException("expected exactly one private key in " + source + ", found " + keys.size(), null);
        }
        var block = keys.getFirst();
        return switch (block.type()) {
            case "PRIVATE KEY" -> fromPkcs8(source, block.der(), List.of("RSA", "EC", "EdDSA"));
            case "RSA PRIVATE KEY" ->
                fromPkcs8(source, Pkcs8Encoding.privateKeyInfo(RSA_ALGORITHM, block.der()), List.of("RSA"));
            case "EC PRIVATE KEY" -> fromPkcs8(source, sec1(source, block.der()), List.of("EC"));
            default -> throw new TlsException("unsupported key type '" + block.type() + "' in " + source, null);
        };
    }

    private static PrivateKey fromPkcs8(String source, byte[] der, List<String> algorithms) {
        GeneralSecurityException last = null;
        for (var algorithm : algorithms) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new TlsException("cannot read the private key in " + source, last);
    }

    /** Converts SEC 1 to PKCS#8. SEC 1 stores the curve inside the key, PKCS#8 outside. */
    private static byte[] sec1(String source, byte[] der) {
        var curve = Pkcs8Encoding.find(der, 0xa0);
        if (curve.length == 0) {
            throw new TlsException("the EC key in " + source + " does not name its curve", null);
        }
        return Pkcs8Encoding.privateKeyInfo(Pkcs8Encoding.sequence(EC_OBJECT_IDENTIFIER, curve), der);
    }
}
