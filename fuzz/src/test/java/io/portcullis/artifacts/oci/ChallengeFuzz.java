package io.portcullis.artifacts.oci;

import io.portcullis.fuzz.Inputs;
import java.util.Locale;

/** {@code WWW-Authenticate}: never fails, and keys are lower case so that lookups find them. */
public final class ChallengeFuzz {

    private ChallengeFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var challenge = Challenge.parse(Inputs.text(input));
        challenge
                .parameters()
                .keySet()
                .forEach(key -> Inputs.check(key.equals(key.toLowerCase(Locale.ROOT)), "keys are lower case"));
        Inputs.check(challenge.isBearer() == challenge.scheme().equals("bearer"), "the scheme is lower case");
    }
}
