package io.portcullis.evaluator.rego.builtin.registry;

import java.util.Arrays;
import java.util.List;

/** Rego built-ins for encodings, certificates and documents; the first byte chooses one, the rest is its arguments. See {@link BuiltinsFuzz}. */
public final class EncodingBuiltinsFuzz {

    private static final List<String> NAMES = List.of(
            "json.unmarshal",
            "json.is_valid",
            "yaml.unmarshal",
            "yaml.is_valid",
            "base64.decode",
            "base64url.decode",
            "hex.decode",
            "urlquery.decode",
            "urlquery.decode_object",
            "io.jwt.decode",
            "json.patch",
            "json.match_schema",
            "crypto.x509.parse_certificates",
            "crypto.parse_private_keys",
            "net.cidr_contains",
            "net.cidr_expand",
            "semver.compare",
            "uri.parse");

    private EncodingBuiltinsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            BuiltinsFuzz.call(NAMES.get((input[0] & 0xff) % NAMES.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }
}
