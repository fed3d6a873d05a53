package io.portcullis.artifacts.oci.credentials;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A credential for a registry. No {@code toString} contains the secret. */
public sealed interface Credential {

    record Anonymous() implements Credential {}

    record Password(String user, String password) implements Credential {

        public String basic() {
            var pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            return "Basic " + Base64.getEncoder().encodeToString(pair);
        }

        @Override
        public String toString() {
            return "Password[user=" + user + "]";
        }
    }

    /** A refresh token. The registry's token server exchanges it for an access token. */
    record IdentityToken(String token) implements Credential {
        @Override
        public String toString() {
            return "IdentityToken[]";
        }
    }
}
