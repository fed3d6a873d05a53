package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.verify.signature.LogEntry;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Checks that a transparency log recorded an entry, by its promise, an inclusion proof, or both. Every part that is
 * present must be valid.
 */
final class TransparencyLog {

    /** A signature of a checkpoint starts with the first bytes of the id of the log. Witnesses add signatures with other hints. */
    private static final int HINT = 4;

    private final TrustRoot root;

    TransparencyLog(TrustRoot root) {
        this.root = root;
    }

    /** @return the time at which the log recorded the entry, if the log signed the time */
    Optional<Instant> check(LogEntry entry) throws UntrustedException {
        var log = root.transparencyLog(entry.logId())
                .orElseThrow(() -> new UntrustedException("the entry is of an unknown log " + entry.logIdHex()));
        if (entry.promise().isEmpty() && entry.proof().isEmpty()) {
            throw new UntrustedException("the log entry comes without promise and proof");
        }
        var time = Optional.<Instant>empty();
        if (entry.promise().isPresent()) {
            checkPromise(log, entry, entry.promise().get());
            time = Optional.of(Instant.ofEpochSecond(entry.integratedTime()));
            if (!log.validFor().contains(time.get())) {
                throw new UntrustedException("the log's key was not valid at the time of the entry");
            }
        }
        if (entry.proof().isPresent()) {
            checkProof(log, entry.body(), entry.proof().get());
        }
        return time;
    }

    private static void checkPromise(TrustRoot.Log log, LogEntry entry, byte[] promise) throws UntrustedException {
        // Canonical JSON: sorted keys, no white space, and no characters that require escaping.
        var signed = "{\"body\":\"" + Base64.getEncoder().encodeToString(entry.body()) + "\",\"integratedTime\":"
                + entry.integratedTime() + ",\"logID\":\"" + entry.logIdHex() + "\",\"logIndex\":" + entry.logIndex()
                + "}";
        if (!SignatureKeys.verifies(log.key(), signed.getBytes(StandardCharsets.UTF_8), promise)) {
            throw new UntrustedException("the log did not sign this entry");
        }
    }

    private static void checkProof(TrustRoot.Log log, byte[] body, LogEntry.Proof proof) throws UntrustedException {
        var computed = MerkleTree.root(MerkleTree.leaf(body), proof.index(), proof.treeSize(), proof.hashes());
        if (!MessageDigest.isEqual(computed, proof.rootHash())) {
            throw new UntrustedException("the log's tree does not contain the entry");
        }
        checkCheckpoint(log, proof);
    }

    /** Checks a signed note: origin, tree size, root hash, an empty line, signatures. */
    private static void checkCheckpoint(TrustRoot.Log log, LogEntry.Proof proof) throws UntrustedException {
        var end = proof.checkpoint().indexOf("\n\n");
        if (end < 0) {
            throw new UntrustedException("the log's checkpoint is malformed");
        }
        var note = proof.checkpoint().substring(0, end + 1);
        var lines = note.lines().toList();
        if (lines.size() < 3
                || !lines.get(1).equals(Long.toString(proof.treeSize()))
                || !lines.get(2).equals(Base64.getEncoder().encodeToString(proof.rootHash()))) {
            throw new UntrustedException("the log's checkpoint is of another tree");
        }
        var signed = note.getBytes(StandardCharsets.UTF_8);
        var trusted = proof.checkpoint()
                .substring(end + 2)
                .lines()
                .map(TransparencyLog::noteSignature)
                .filter(signature -> signature.length > HINT && Arrays.equals(signature, 0, HINT, log.id(), 0, HINT))
                .anyMatch(signature -> SignatureKeys.verifies(
                        log.key(), signed, Arrays.copyOfRange(signature, HINT, signature.length)));
        if (!trusted) {
            throw new UntrustedException("the log did not sign this checkpoint");
        }
    }

    /** Returns the four bytes of the key hint and the signature of {@code — name base64(hint, signature)}. */
    private static byte[] noteSignature(String line) {
        try {
            return Base64.getDecoder().decode(line.substring(line.lastIndexOf(' ') + 1));
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }
}
