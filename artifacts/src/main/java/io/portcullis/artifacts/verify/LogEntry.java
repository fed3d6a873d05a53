package io.portcullis.artifacts.verify;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * What a transparency log says it has written down.
 *
 * @param body the entry itself, the very bytes that were logged
 * @param logId SHA-256 of the log's key
 * @param promise the log's signature over all this ("signed entry timestamp")
 */
record LogEntry(
        byte[] body,
        long integratedTime,
        long logIndex,
        byte[] logId,
        Optional<byte[]> promise,
        Optional<Proof> proof) {

    /**
     * That the entry is in the tree, and that the log stands by the tree.
     *
     * @param checkpoint a signed note
     */
    record Proof(long index, long treeSize, byte[] rootHash, List<byte[]> hashes, String checkpoint) {
        Proof {
            hashes = List.copyOf(hashes);
        }
    }

    String logIdHex() {
        return HexFormat.of().formatHex(logId);
    }
}
