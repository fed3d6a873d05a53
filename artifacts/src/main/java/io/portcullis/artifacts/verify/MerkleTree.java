package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.source.Digest;
import java.util.List;

/** Inclusion proofs of RFC 9162 §2.1.3.2. */
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

    /** The root of the tree in which the leaf has this index and these neighbours on its way up. */
    static byte[] root(byte[] leaf, long index, long size, List<byte[]> neighbours) throws UntrustedException {
        if (index < 0 || index >= size) {
            throw new UntrustedException("the log entry lies outside its tree");
        }
        long position = index;
        long last = size - 1;
        var hash = leaf;
        for (var neighbour : neighbours) {
            if (last == 0) {
                throw new UntrustedException("the proof of inclusion is too long");
            }
            if ((position & 1) == 1 || position == last) {
                hash = node(neighbour, hash);
                while ((position & 1) == 0 && position != 0) {
                    position >>= 1;
                    last >>= 1;
                }
            } else {
                hash = node(hash, neighbour);
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
