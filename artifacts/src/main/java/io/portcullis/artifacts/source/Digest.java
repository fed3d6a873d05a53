package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Computes and checks OCI digests: {@code sha256:<hex>}, SHA-384 and SHA-512. */
public final class Digest {

    private static final Pattern FORMAT =
            Pattern.compile("sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}");

    private Digest() {}

    /** Rejects text that is not a digest. A checked digest is safe in a URL or a file name. */
    public static String check(String digest) {
        if (!isDigest(digest)) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE, "Invalid OCI image reference: invalid digest \"" + digest + "\"");
        }
        return digest;
    }

    public static boolean isDigest(String text) {
        return FORMAT.matcher(text).matches();
    }

    /** Returns {@code sha256:<hex>} of these bytes. */
    public static String sha256(byte[] bytes) {
        return format("sha256", newHash("SHA-256").digest(bytes));
    }

    /** Reports whether the bytes match the digest. Uses the algorithm of the digest. */
    public static boolean matches(String digest, byte[] bytes) {
        var hash = hashFor(digest);
        return digest.equals(format(algorithm(digest), hash.digest(bytes)));
    }

    public static MessageDigest newSha256() {
        return newHash("SHA-256");
    }

    /** Returns a new hash for the algorithm of this digest. */
    public static MessageDigest hashFor(String digest) {
        return newHash(
                switch (algorithm(check(digest))) {
                    case "sha384" -> "SHA-384";
                    case "sha512" -> "SHA-512";
                    default -> "SHA-256";
                });
    }

    /** Returns a finished hash as text, with the algorithm of {@code like}. */
    public static String formatLike(String like, byte[] hash) {
        return format(algorithm(like), hash);
    }

    /** Returns the hexadecimal part. */
    public static String hex(String digest) {
        return digest.substring(digest.indexOf(':') + 1);
    }

    private static String algorithm(String digest) {
        return digest.substring(0, digest.indexOf(':'));
    }

    private static String format(String algorithm, byte[] hash) {
        return algorithm + ":" + HexFormat.of().formatHex(hash);
    }

    private static MessageDigest newHash(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + name, e);
        }
    }
}
