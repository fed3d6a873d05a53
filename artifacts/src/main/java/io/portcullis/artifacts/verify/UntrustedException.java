package io.portcullis.artifacts.verify;

import io.portcullis.api.der.MalformedDerException;

/**
 * Reports which check of a signature failed. Used only inside this package, because one invalid signature among
 * several is not a failure.
 */
final class UntrustedException extends Exception {

    UntrustedException(String message) {
        super(message);
    }

    static UntrustedException malformed(MalformedDerException cause) {
        return new UntrustedException("malformed ASN.1", cause);
    }

    UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
