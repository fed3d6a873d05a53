package io.portcullis.process.tls;

import io.portcullis.fuzz.Inputs;

/** PEM files: a TlsException, or blocks. */
public final class PemFuzz {

    private PemFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var pem = Pem.parse("test", Inputs.text(input));
            Inputs.check(pem.blocks().size() <= input.length, "every block takes a byte");
            pem.certificates();
        } catch (TlsException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
