package io.portcullis.artifacts.oci;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What we show a registry. None of them prints its secret. */
public sealed interface Credential {

    record Anonymous() implements Credential {}

    record Password(String user, String password) implements Credential {

        String basic() {
            var pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            return "Basic " + Base64.getEncoder().encodeToString(pair);
        }

        @Override
        public String toString() {
            return "Password[user=" + user + "]";
        }
    }

    /** A refresh token, to be changed for an access token at the registry's token server. */
    record IdentityToken(String token) implements Credential {
        @Override
        public String toString() {
            return "IdentityToken[]";
        }
    }
}
