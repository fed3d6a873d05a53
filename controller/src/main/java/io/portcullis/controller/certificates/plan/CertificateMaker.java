package io.portcullis.controller.certificates.plan;

import io.portcullis.process.tls.Identity;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** Creates certificates: ECDSA on P-256, serial numbers of 128 random bits, keys in SEC 1 form. */
public final class CertificateMaker {

    public static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);
    static final Duration LEAF_LIFETIME = Duration.ofDays(365);

    /** The start of validity lies in the past, because clocks of other machines may be late. */
    public static final Duration BACKDATED = Duration.ofMinutes(5);

    private static final X500Name AUTHORITY = commonName("kubewarden-controller-ca");

    private final Clock clock;
    private final SecureRandom random;

    public CertificateMaker(Clock clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
    }

    /** A certificate and its key, in PEM. */
    public record IssuedCertificate(String certificatePem, String keyPem) {

        /** Omits the key. */
        @Override
        public String toString() {
            return "IssuedCertificate[" + certificatePem + "]";
        }
    }

    /** Creates a self-signed authority. */
    public IssuedCertificate authority() {
        var keys = keys();
        // The name alone does not distinguish two generations of the authority; the key identifiers do.
        return make(AUTHORITY_LIFETIME, AUTHORITY, keys, AUTHORITY, keys.getPrivate(), builder -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign | KeyUsage.digitalSignature));
        });
    }

    /** Creates a certificate that the authority signs. */
    public IssuedCertificate leaf(LeafRequest request, Identity authority) {
        var issuer = X500Name.getInstance(
                authority.certificate().getSubjectX500Principal().getEncoded());
        return make(LEAF_LIFETIME, commonName(request.commonName()), keys(), issuer, authority.key(), builder -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils()
                            .createAuthorityKeyIdentifier(
                                    authority.certificate().getPublicKey()));
            builder.addExtension(
                    Extension.extendedKeyUsage,
                    false,
                    new ExtendedKeyUsage(request.usage().identifiers().stream()
                            .map(identifier -> KeyPurposeId.getInstance(new ASN1ObjectIdentifier(identifier)))
                            .toArray(KeyPurposeId[]::new)));
            if (!request.dnsNames().isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(request.dnsNames().stream()
                                .map(name -> new GeneralName(GeneralName.dNSName, name))
                                .toArray(GeneralName[]::new)));
            }
        });
    }

    @FunctionalInterface
    private interface Extensions {
        void addTo(X509v3CertificateBuilder builder) throws IOException, GeneralSecurityException;
    }

    private IssuedCertificate make(
            Duration lifetime,
            X500Name subject,
            KeyPair keys,
            X500Name issuer,
            PrivateKey signer,
            Extensions extensions) {
        try {
            var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            var builder = new X509v3CertificateBuilder(
                    issuer,
                    new BigInteger(128, random).setBit(127),
                    Date.from(now.minus(BACKDATED)),
                    Date.from(now.plus(lifetime)),
                    subject,
                    SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()));
            builder.addExtension(
                    Extension.subjectKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
            extensions.addTo(builder);
            var certificate = new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer)));
            return new IssuedCertificate(pem(certificate), pem("EC PRIVATE KEY", sec1(keys)));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("cannot make a certificate for " + subject, e);
        }
    }

    private KeyPair keys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the curve P-256 is not available", e);
        }
    }

    /** The form of {@code openssl ec}: with the curve and the public key. */
    private static byte[] sec1(KeyPair keys) throws IOException {
        var point = SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded())
                .getPublicKeyData()
                .getBytes();
        return new org.bouncycastle.asn1.sec.ECPrivateKey(
                        256,
                        ((ECPrivateKey) keys.getPrivate()).getS(),
                        new DERBitString(point),
                        SECObjectIdentifiers.secp256r1)
                .getEncoded();
    }

    private static X500Name commonName(String name) {
        return new X500NameBuilder().addRDN(BCStyle.CN, name).build();
    }

    static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot encode the certificate", e);
        }
    }

    private static String pem(String type, byte[] content) {
        var text = new StringWriter();
        try (var writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(type, content));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to memory", e);
        }
        return text.toString();
    }
}
