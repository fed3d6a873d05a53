package io.portcullis.api.der;

/** The bytes are not DER, or an element is not what the reader expects. */
public final class MalformedDerException extends RuntimeException {

    /** @param what the malformed part, for example {@code length} */
    public MalformedDerException(String what) {
        super("malformed " + what);
    }
}
