package io.portcullis.controller.certificates.plan;

import java.util.List;

/**
 * The purpose of a certificate that the authority signs.
 *
 * @param dnsNames names that the certificate must be valid for; none for pure clients
 */
public record LeafRequest(String commonName, List<String> dnsNames, Usage usage) {

    /** Extended key usage; the identifiers are those of RFC 5280. */
    public enum Usage {
        TLS,
        CODE_SIGNING;

        List<String> identifiers() {
            return switch (this) {
                case TLS -> List.of("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2");
                case CODE_SIGNING -> List.of("1.3.6.1.5.5.7.3.3");
            };
        }
    }

    public LeafRequest {
        dnsNames = List.copyOf(dnsNames);
    }
}
