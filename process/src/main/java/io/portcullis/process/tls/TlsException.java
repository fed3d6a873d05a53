package io.portcullis.process.tls;

import org.jspecify.annotations.Nullable;

/** A certificate or key file cannot be used; the message names the file. */
public final class TlsException extends RuntimeException {

    public TlsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
