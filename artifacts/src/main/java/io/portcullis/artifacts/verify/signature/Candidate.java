package io.portcullis.artifacts.verify.signature;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/**
 * A signature of an image, in any supported format. The reader checked only that the payload contains the image's
 * digest. Everything else is unverified.
 *
 * @param payload the signer's statement
 * @param signed the bytes that the signature covers: the payload, or its DSSE encoding
 * @param annotations from the payload
 */
public record Candidate(
        byte[] payload, byte[] signed, byte[] signature, Map<String, String> annotations, Evidence evidence) {

    /**
     * Material that proves the identity of the signer and the time of the signature.
     *
     * @param certificates the signer's certificate first; empty for keys
     * @param timestamps RFC 3161 responses over the signature
     */
    public record Evidence(List<X509Certificate> certificates, List<LogEntry> entries, List<byte[]> timestamps) {
        public Evidence {
            certificates = List.copyOf(certificates);
            entries = List.copyOf(entries);
            timestamps = List.copyOf(timestamps);
        }
    }

    public Candidate {
        annotations = Map.copyOf(annotations);
    }
}
