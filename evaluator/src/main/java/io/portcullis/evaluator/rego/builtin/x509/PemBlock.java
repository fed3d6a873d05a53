package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** One block of a PEM text, with the text after it. */
public record PemBlock(String type, byte[] bytes, String rest) {

    private static final String BEGIN = "-----BEGIN ";
    private static final String DASHES = "-----";

    /** Returns the first block; blocks with headers are not supported. */
    public static Optional<PemBlock> first(String text) {
        int begin = text.startsWith(BEGIN) ? 0 : text.indexOf("\n" + BEGIN) + 1;
        if (begin == 0 && !text.startsWith(BEGIN)) {
            return Optional.empty();
        }
        int lineEnd = text.indexOf('\n', begin);
        if (lineEnd < 0) {
            return Optional.empty();
        }
        var line = text.substring(begin, lineEnd).stripTrailing();
        if (!line.endsWith(DASHES) || line.length() < BEGIN.length() + DASHES.length()) {
            return Optional.empty();
        }
        var type = line.substring(BEGIN.length(), line.length() - DASHES.length());
        var end = DASHES + "END " + type + DASHES;
        int bodyEnd = text.indexOf("\n" + end, lineEnd);
        if (bodyEnd < 0) {
            return Optional.empty();
        }
        var body = text.substring(lineEnd, bodyEnd);
        return Optional.of(new PemBlock(type, decode(body), after(text, bodyEnd + 1 + end.length())));
    }

    /** Returns all blocks; skips malformed blocks, as Go does. */
    static List<PemBlock> all(String text) {
        var blocks = new ArrayList<PemBlock>();
        var rest = text;
        while (rest.contains(BEGIN)) {
            try {
                var block = first(rest);
                if (block.isEmpty()) {
                    return blocks;
                }
                blocks.add(block.get());
                rest = block.get().rest;
            } catch (BuiltinException e) {
                rest = rest.substring(rest.indexOf(BEGIN) + BEGIN.length());
            }
        }
        return blocks;
    }

    private static byte[] decode(String body) {
        try {
            return Base64.getDecoder().decode(body.replaceAll("[ \t\r\n]", ""));
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("the PEM block is not base64: " + e.getMessage(), e);
        }
    }

    /** Returns the text after the line of the end marker. */
    private static String after(String text, int position) {
        int lineEnd = text.indexOf('\n', position);
        var tail = lineEnd < 0 ? text.substring(position) : text.substring(position, lineEnd);
        if (!tail.isBlank()) {
            throw new BuiltinException("extra data after the end of a PEM block");
        }
        return lineEnd < 0 ? "" : text.substring(lineEnd + 1);
    }

    /** Returns the key of a certificate or the public key that is the whole text. */
    public PublicKey onlyPublicKey() {
        if (!rest.isEmpty()) {
            throw new BuiltinException("extra data after a PEM certificate block");
        }
        return switch (type) {
            case "CERTIFICATE" -> certificateKey();
            case "PUBLIC KEY" -> publicKey();
            case String _ -> throw new BuiltinException("failed to extract a Key from the PEM certificate");
        };
    }

    private PublicKey certificateKey() {
        var in = new ByteArrayInputStream(bytes);
        try {
            var key = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey();
            if (in.available() > 0) {
                throw new BuiltinException("failed to parse a PEM certificate: trailing data");
            }
            return key;
        } catch (GeneralSecurityException e) {
            throw new BuiltinException("failed to parse a PEM certificate: " + e.getMessage(), e);
        }
    }

    private PublicKey publicKey() {
        GeneralSecurityException last = new GeneralSecurityException("no algorithm");
        for (var algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(bytes));
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw new BuiltinException("failed to parse a PEM public key: " + last.getMessage(), last);
    }
}
