package io.portcullis.artifacts.tuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.source.Digest;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Optional;

/** A signed metadata file of a TUF repository. */
record TufMetadata(JsonNode signed, JsonNode signatures) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ED25519_HEADER = "302a300506032b6570032100";

    static TufMetadata parse(byte[] bytes, String role) throws GeneralSecurityException {
        try {
            var root = JSON.readTree(bytes);
            var signed = root.path("signed");
            if (!signed.path("_type").asText().equals(role)) {
                throw new GeneralSecurityException("not " + role + " metadata");
            }
            return new TufMetadata(signed, root.path("signatures"));
        } catch (IOException e) {
            throw new GeneralSecurityException(role + " metadata is not JSON", e);
        }
    }

    long version() {
        return signed.path("version").asLong(-1);
    }

    void checkNotExpired(Instant now) throws GeneralSecurityException {
        try {
            if (now.isBefore(Instant.parse(signed.path("expires").asText()))) {
                return;
            }
        } catch (DateTimeParseException e) {
            throw new GeneralSecurityException("metadata does not say when it expires", e);
        }
        throw new GeneralSecurityException(signed.path("_type").asText() + " metadata has expired");
    }

    /**
     * Checks that enough of this root's keys for a role signed another file. Each key counts once, even under several
     * key IDs.
     */
    void checkSigns(String role, TufMetadata other) throws GeneralSecurityException {
        var content = TufCanonicalJson.encode(other.signed());
        var agreeing = new HashSet<PublicKey>();
        for (var keyId : signed.at("/roles/" + role + "/keyids")) {
            var key = key(signed.path("keys").path(keyId.asText()));
            if (key.isPresent() && other.isSignedBy(keyId.asText(), key.get(), content)) {
                agreeing.add(key.get());
            }
        }
        int threshold = signed.at("/roles/" + role + "/threshold").asInt();
        if (threshold < 1 || agreeing.size() < threshold) {
            throw new GeneralSecurityException(
                    role + " metadata has " + agreeing.size() + " of " + threshold + " signatures");
        }
    }

    private boolean isSignedBy(String keyId, PublicKey key, byte[] content) {
        for (var each : signatures) {
            if (each.path("keyid").asText().equals(keyId)) {
                try {
                    var verifier =
                            Signature.getInstance(key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "Ed25519");
                    verifier.initVerify(key);
                    verifier.update(content);
                    return verifier.verify(
                            HexFormat.of().parseHex(each.path("sig").asText()));
                } catch (GeneralSecurityException | IllegalArgumentException e) {
                    return false;
                }
            }
        }
        return false;
    }

    private static Optional<PublicKey> key(JsonNode node) {
        var text = node.at("/keyval/public").asText();
        try {
            return switch (node.path("scheme").asText()) {
                case "ecdsa-sha2-nistp256" ->
                    Optional.of(
                            generate("EC", Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""))));
                case "ed25519" -> Optional.of(generate("Ed25519", HexFormat.of().parseHex(ED25519_HEADER + text)));
                default -> Optional.empty();
            };
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static PublicKey generate(String algorithm, byte[] spki) throws GeneralSecurityException {
        return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(spki));
    }

    /**
     * Checks a file against its entry in this metadata. Hashes of metadata files are optional; versions are required.
     */
    void checkDescribes(String name, byte[] bytes, TufMetadata file) throws GeneralSecurityException {
        var entry = signed.path("meta").path(name);
        checkHash(name, entry, bytes, false);
        if (entry.path("version").asLong(-2) != file.version()) {
            throw new GeneralSecurityException(name + " has another version than announced");
        }
    }

    static void checkHash(String name, JsonNode entry, byte[] bytes, boolean required) throws GeneralSecurityException {
        var hash = entry.at("/hashes/sha256").asText();
        if (hash.isEmpty() ? required : !Digest.sha256(bytes).equals("sha256:" + hash)) {
            throw new GeneralSecurityException(name + " is not what was announced");
        }
    }

    long announcedVersion(String name) {
        return signed.path("meta").path(name).path("version").asLong(-1);
    }
}
