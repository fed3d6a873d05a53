package io.portcullis.capabilities.images;

import io.portcullis.artifacts.verify.SignatureConstraint;
import io.portcullis.artifacts.verify.SignatureConstraint.Subject;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts the verification requests of policies to constraints of the signature verifier. */
final class SignatureQuestions {

    private SignatureQuestions() {}

    static List<SignatureConstraint> constraints(HostRequest.Verify request) {
        var given = request.annotations();
        Map<String, String> annotations = given == null ? Map.of() : given;
        return switch (request) {
            case HostRequest.SigstorePubKeyVerify keys ->
                keys.pubKeys().stream()
                        .<SignatureConstraint>map(
                                pem -> SignatureConstraint.PubKey.of(pem, Optional.empty(), annotations))
                        .toList();
            case HostRequest.SigstoreKeylessVerify keyless ->
                keyless.keyless().stream()
                        .<SignatureConstraint>map(identity -> new SignatureConstraint.GenericIssuer(
                                identity.issuer(), new Subject.Equal(identity.subject()), annotations))
                        .toList();
            case HostRequest.SigstoreKeylessPrefixVerify keyless ->
                keyless.keylessPrefix().stream()
                        .<SignatureConstraint>map(identity -> new SignatureConstraint.GenericIssuer(
                                identity.issuer(), new Subject.UrlPrefix(identity.urlPrefix()), annotations))
                        .toList();
            case HostRequest.SigstoreGithubActionsVerify github ->
                List.of(new SignatureConstraint.GithubAction(
                        github.owner(), Optional.ofNullable(github.repo()), annotations));
            case HostRequest.SigstoreCertificateVerify certificate -> {
                var chain = certificate.certificateChain();
                yield List.of(new SignatureConstraint.Certificate(
                        certificate(certificate.certificate()),
                        chain == null
                                ? List.of()
                                : chain.stream()
                                        .map(SignatureQuestions::certificate)
                                        .toList(),
                        certificate.requireRekorBundle(),
                        annotations));
            }
        };
    }

    private static X509Certificate certificate(List<Integer> pem) {
        var bytes = new byte[pem.size()];
        for (var i = 0; i < bytes.length; i++) {
            bytes[i] = pem.get(i).byteValue();
        }
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        } catch (CertificateException e) {
            throw new HostCallException("the certificate cannot be read: " + e.getMessage(), e);
        }
    }
}
