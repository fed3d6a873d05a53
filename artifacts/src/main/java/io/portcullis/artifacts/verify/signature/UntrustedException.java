package io.portcullis.artifacts.verify.signature;

import io.portcullis.api.der.MalformedDerException;

/**
 * Reports which check of a signature failed. {@code ImageVerifier} catches it, because one invalid signature among
 * several is not a failure.
 */
public final class UntrustedException extends Exception {

    public UntrustedException(String message) {
        super(message);
    }

    public static UntrustedException malformed(MalformedDerException cause) {
        return new UntrustedException("malformed ASN.1", cause);
    }

    public UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
