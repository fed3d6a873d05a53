package io.portcullis.artifacts.verify.keyless;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * The identity in a Fulcio certificate.
 *
 * @param subject an e-mail address or the URI of a workflow
 * @param issuer the OpenID provider of the identity
 * @param repository of the GitHub workflow, {@code owner/name}
 */
public record Signer(String subject, String issuer, Optional<String> repository) {

    private static final String FULCIO = "1.3.6.1.4.1.57264.1.";
    private static final int EMAIL = 1;
    private static final int URI = 6;

    static Signer of(X509Certificate certificate) throws UntrustedException {
        var issuer = encodedText(certificate, FULCIO + "8")
                .or(() -> text(certificate, FULCIO + "1"))
                .orElseThrow(() -> new UntrustedException("the certificate does not say who issued the identity"));
        return new Signer(subject(certificate), issuer, text(certificate, FULCIO + "5"));
    }

    private static String subject(X509Certificate certificate) throws UntrustedException {
        try {
            var names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.getFirst() instanceof Integer kind
                        && (kind == EMAIL || kind == URI)
                        && name.getLast() instanceof String text) {
                    return text;
                }
            }
        } catch (CertificateParsingException e) {
            throw new UntrustedException("the certificate's names are malformed", e);
        }
        throw new UntrustedException("the certificate contains no subject name");
    }

    /** Reads an older extension, which contains the plain text. */
    private static Optional<String> text(X509Certificate certificate, String id) {
        try {
            var value = certificate.getExtensionValue(id);
            return value == null
                    ? Optional.empty()
                    : Optional.of(new String(DerElement.only(value).content(), StandardCharsets.UTF_8));
        } catch (MalformedDerException e) {
            return Optional.empty();
        }
    }

    /** Reads a newer extension, which contains an ASN.1 UTF-8 string. */
    private static Optional<String> encodedText(X509Certificate certificate, String id) throws UntrustedException {
        var value = certificate.getExtensionValue(id);
        if (value == null) {
            return Optional.empty();
        }
        try {
            var text = DerElement.only(DerElement.only(value).content());
            return Optional.of(new String(text.content(), StandardCharsets.UTF_8));
        } catch (MalformedDerException e) {
            throw UntrustedException.malformed(e);
        }
    }
}
