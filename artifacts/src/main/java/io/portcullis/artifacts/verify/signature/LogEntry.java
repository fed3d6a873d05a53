package io.portcullis.artifacts.verify.signature;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * An entry of a transparency log.
 *
 * @param body the exact bytes that were logged
 * @param logId SHA-256 of the log's key
 * @param promise the log's signature over all fields ("signed entry timestamp")
 */
public record LogEntry(
        byte[] body,
        long integratedTime,
        long logIndex,
        byte[] logId,
        Optional<byte[]> promise,
        Optional<Proof> proof) {

    /**
     * Proof that the log's tree contains the entry, and that the log signed the tree.
     *
     * @param checkpoint a signed note
     */
    public record Proof(long index, long treeSize, byte[] rootHash, List<byte[]> hashes, String checkpoint) {
        public Proof {
            hashes = List.copyOf(hashes);
        }
    }

    public String logIdHex() {
        return HexFormat.of().formatHex(logId);
    }
}
