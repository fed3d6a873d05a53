package io.portcullis.evaluator.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps compiled modules of one user in a directory. Each file carries a code over digest, fingerprint and content, made
 * with the user's {@link CacheSecret}: whoever can write the directory but not read the secret can at most have files
 * ignored. Files appear whole or not at all, so that processes may share the directory.
 */
public final class LocalModuleCache implements CompiledModuleCache {

    private static final Logger log = LoggerFactory.getLogger(LocalModuleCache.class);

    private final Path directory;
    private final CacheSecret secret;

    private LocalModuleCache(Path directory, CacheSecret secret) {
        this.directory = directory;
        this.secret = secret;
    }

    /**
     * Opens or creates the cache.
     *
     * @return a cache that remembers nothing when the directory cannot be used; a log line says why
     */
    public static CompiledModuleCache in(Path directory) {
        try {
            OwnerOnly.createDirectories(directory);
            return new LocalModuleCache(directory, CacheSecret.in(directory));
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("directory", directory)
                    .addKeyValue("error", e.toString())
                    .log("compiled modules are not cached");
            return NONE;
        }
    }

    @Override
    public Optional<byte[]> find(String digest, String fingerprint) {
        var file = file(digest, fingerprint);
        try {
            var content = Files.readAllBytes(file);
            if (content.length >= CacheSecret.CODE_LENGTH) {
                var code = Arrays.copyOf(content, CacheSecret.CODE_LENGTH);
                var compiled = Arrays.copyOfRange(content, CacheSecret.CODE_LENGTH, content.length);
                if (MessageDigest.isEqual(code, secret.code(statement(digest, fingerprint), compiled))) {
                    return Optional.of(compiled);
                }
            }
            log.atWarn().addKeyValue("file", file).log("cached module was changed by someone else, removing it");
            Files.delete(file);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("error", e.toString())
                    .log("cached module is unreadable");
        }
        return Optional.empty();
    }

    @Override
    public void store(String digest, String fingerprint, byte[] compiled) {
        var file = file(digest, fingerprint);
        try {
            var temporary = OwnerOnly.createTemporary(directory);
            try {
                try (var out = Files.newOutputStream(temporary)) {
                    out.write(secret.code(statement(digest, fingerprint), compiled));
                    out.write(compiled);
                }
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                // A part of a file on a full disk would take the space that is freed later.
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("error", e.toString())
                    .log("module is not cached");
        }
    }

    private Path file(String digest, String fingerprint) {
        return directory.resolve(digest + "-" + fingerprint + ".bin");
    }

    private static byte[] statement(String digest, String fingerprint) {
        return (digest + "\n" + fingerprint + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
