package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.evaluator.rego.builtin.net.Cidr;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.Locale;

/** Checks whether a certificate is valid for a host: by its alternative names only, never by its subject. */
final class HostnameMatch {

    private HostnameMatch() {}

    static boolean matches(ParsedCertificate certificate, String hostname) {
        var host = hostname.startsWith("[") && hostname.endsWith("]")
                ? hostname.substring(1, hostname.length() - 1)
                : hostname;
        var address = Cidr.Address.parse(host);
        if (address.isPresent()) {
            return certificate.field("IPAddresses") instanceof ArrayValue(var addresses)
                    && addresses.contains(RegoValue.of(address.get().toString()));
        }
        var expected = withoutDot(hostname.toLowerCase(Locale.ROOT));
        return certificate.field("DNSNames") instanceof ArrayValue(var patterns)
                && patterns.stream()
                        .anyMatch(pattern -> pattern instanceof StringValue(var text)
                                && matches(text.toLowerCase(Locale.ROOT), expected));
    }

    private static String withoutDot(String host) {
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    /** A wildcard matches exactly the first label. */
    private static boolean matches(String pattern, String host) {
        var names = pattern.split("\\.", -1);
        var labels = host.split("\\.", -1);
        if (names.length != labels.length || host.isEmpty()) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            boolean wildcard = i == 0 && names[i].equals("*");
            if (!wildcard && !names[i].equals(labels[i])) {
                return false;
            }
        }
        return true;
    }
}
