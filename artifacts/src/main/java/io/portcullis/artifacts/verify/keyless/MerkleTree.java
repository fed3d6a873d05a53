package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.util.List;

/** Computes inclusion proofs of RFC 9162 §2.1.3.2. */
final class MerkleTree {

    private MerkleTree() {}

    static byte[] leaf(byte[] entry) {
        var hash = Digest.newSha256();
        hash.update((byte) 0);
        return hash.digest(entry);
    }

    static byte[] node(byte[] left, byte[] right) {
        var hash = Digest.newSha256();
        hash.update((byte) 1);
        hash.update(left);
        return hash.digest(right);
    }

    /** Returns the root of the tree, computed from a leaf, its index and the sibling hashes on its path. */
    static byte[] root(byte[] leaf, long index, long size, List<byte[]> siblings) throws UntrustedException {
        if (index < 0 || index >= size) {
            throw new UntrustedException("the log entry lies outside its tree");
        }
        long position = index;
        long last = size - 1;
        var hash = leaf;
        for (var sibling : siblings) {
            if (last == 0) {
                throw new UntrustedException("the proof of inclusion is too long");
            }
            if ((position & 1) == 1 || position == last) {
                hash = node(sibling, hash);
                while ((position & 1) == 0 && position != 0) {
                    position >>= 1;
                    last >>= 1;
                }
            } else {
                hash = node(hash, sibling);
            }
            position >>= 1;
            last >>= 1;
        }
        if (last != 0) {
            throw new UntrustedException("the proof of inclusion is too short");
        }
        return hash;
    }
}
