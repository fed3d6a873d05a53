package io.portcullis.evaluator.cache;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * A random key in a file that only its owner may read. Its MACs distinguish files of this user from files that another
 * user wrote.
 */
final class CacheSecret {

    static final int MAC_LENGTH = 32;

    private static final String ALGORITHM = "SHA-256";
    private static final int BLOCK_LENGTH = 64;
    private static final int INNER_PAD = 0x36;
    private static final int OUTER_PAD = 0x5c;
    private static final int KEY_LENGTH = 32;

    private final byte[] key;

    private CacheSecret(byte[] key) {
        this.key = key.clone();
    }

    /** Reads the key. Creates a new key if there is none, or if other users could have read or written it. */
    static CacheSecret in(Path directory) throws IOException {
        var file = directory.resolve("secret");
        if (Files.exists(file) && (!OwnerOnly.appliesTo(file) || Files.size(file) != KEY_LENGTH)) {
            Files.delete(file);
        }
        if (!Files.exists(file)) {
            create(directory, file);
        }
        return new CacheSecret(Files.readAllBytes(file));
    }

    /** Creates the key file. If another process creates it at the same time, the first key stays. */
    private static void create(Path directory, Path file) throws IOException {
        var key = new byte[KEY_LENGTH];
        new SecureRandom().nextBytes(key);
        var temporary = OwnerOnly.createTemporary(directory);
        try {
            Files.write(temporary, key);
            Files.createLink(file, temporary);
        } catch (FileAlreadyExistsException _) {
            return;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * Returns the HMAC-SHA256 of both arguments, as defined in RFC 2104. {@code javax.crypto.Mac} returns the same, but
     * it loads the JCA cipher framework, which nothing else in a short run needs.
     */
    byte[] mac(byte[] statement, byte[] content) {
        var inner = digest(INNER_PAD);
        inner.update(statement);
        inner.update(content);
        var outer = digest(OUTER_PAD);
        outer.update(inner.digest());
        return outer.digest();
    }

    private MessageDigest digest(int pad) {
        var block = new byte[BLOCK_LENGTH];
        for (var i = 0; i < block.length; i++) {
            block[i] = (byte) ((i < key.length ? key[i] : 0) ^ pad);
        }
        try {
            var digest = MessageDigest.getInstance(ALGORITHM);
            digest.update(block);
            return digest;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
