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
 * Caches compiled modules of one user in a directory. Each file starts with a MAC over digest, fingerprint and content,
 * made with the user's {@link CacheSecret}. A process that can write the directory but not read the secret can only
 * cause files to be ignored. Files appear atomically, so that processes may share the directory.
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
     * @return a cache that stores nothing if the directory cannot be used; a log line contains the cause
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
            if (content.length >= CacheSecret.MAC_LENGTH) {
                var mac = Arrays.copyOf(content, CacheSecret.MAC_LENGTH);
                var compiled = Arrays.copyOfRange(content, CacheSecret.MAC_LENGTH, content.length);
                if (MessageDigest.isEqual(mac, secret.mac(header(digest, fingerprint), compiled))) {
                    return Optional.of(compiled);
                }
            }
            log.atWarn().addKeyValue("file", file).log("cached module does not match its MAC, removing it");
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
                    out.write(secret.mac(header(digest, fingerprint), compiled));
                    out.write(compiled);
                }
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                // Remove a partial file after a write error, so that it does not occupy space on a full disk.
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

    private static byte[] header(String digest, String fingerprint) {
        return (digest + "\n" + fingerprint + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
