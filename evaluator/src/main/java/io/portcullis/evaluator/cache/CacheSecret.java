package io.portcullis.evaluator.cache;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/** A random key in a file that only its owner may read; it tells this user's own files from anybody else's. */
final class CacheSecret {

    static final int CODE_LENGTH = 32;

    private static final String ALGORITHM = "SHA-256";
    private static final int BLOCK_LENGTH = 64;
    private static final int INNER_PAD = 0x36;
    private static final int OUTER_PAD = 0x5c;
    private static final int KEY_LENGTH = 32;

    private final byte[] key;

    private CacheSecret(byte[] key) {
        this.key = key.clone();
    }

    /** Reads the key; makes a new one when there is none, or when others could have read or written it. */
    static CacheSecret in(Path directory) throws IOException {
        var file = directory.resolve("secret");
        if (Files.exists(file) && (!OwnerOnly.holds(file) || Files.size(file) != KEY_LENGTH)) {
            Files.delete(file);
        }
        if (!Files.exists(file)) {
            create(directory, file);
        }
        return new CacheSecret(Files.readAllBytes(file));
    }

    /** Another process may be doing the same: the first key stays. */
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
     * HMAC-SHA256 of both, by its definition in RFC 2104. {@code javax.crypto.Mac} gives the same, but loads the
     * platform's framework for ciphers, which nothing else in a short run needs.
     */
    byte[] code(byte[] statement, byte[] content) {
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
