package io.portcullis.controller.certificates;

/** A certificate that is not ours to repair is missing or of no use; the message names the Secret and what is wrong. */
public final class UnusableCertificateException extends RuntimeException {

    UnusableCertificateException(String secret, String problem) {
        super("Secret " + secret + " " + problem);
    }
}
