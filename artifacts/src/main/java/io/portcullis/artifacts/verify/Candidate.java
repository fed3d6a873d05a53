package io.portcullis.artifacts.verify;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/**
 * One signature found beside an image, whatever its format. Its payload names the image's digest: that much was checked
 * when it was read. Nothing else was.
 *
 * @param payload what the signer states
 * @param signed the bytes that the signature is over: the payload, or its DSSE encoding
 * @param annotations from the payload
 */
record Candidate(byte[] payload, byte[] signed, byte[] signature, Map<String, String> annotations, Evidence evidence) {

    /**
     * What came along to prove who signed and when.
     *
     * @param certificates the signer's first; empty for keys
     * @param timestamps RFC 3161 answers over the signature
     */
    record Evidence(List<X509Certificate> certificates, List<LogEntry> entries, List<byte[]> timestamps) {
        Evidence {
            certificates = List.copyOf(certificates);
            entries = List.copyOf(entries);
            timestamps = List.copyOf(timestamps);
        }
    }

    Candidate {
        annotations = Map.copyOf(annotations);
    }
}
