package io.portcullis.controller.certificates.secrets;

/** A user-provided certificate is missing or unusable; the message names the Secret and the problem. */
public final class UnusableCertificateException extends RuntimeException {

    public UnusableCertificateException(String secret, String problem) {
        super("Secret " + secret + " " + problem);
    }
}
