package io.portcullis.evaluator.cache;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A random key in a file that only its owner may read; it tells this user's own files from anybody else's. */
final class CacheSecret {

    static final int CODE_LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_LENGTH = 32;

    private final SecretKeySpec key;

    private CacheSecret(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
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

    byte[] code(byte[] statement, byte[] content) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(statement);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
