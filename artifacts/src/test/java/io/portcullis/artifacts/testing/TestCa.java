package io.portcullis.artifacts.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.function.Consumer;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for tests, with P-256 keys. */
public final class TestCa {

    /** A certificate with its key. */
    public record Identity(X509Certificate certificate, KeyPair keys) {

        public String certificatePem() {
            return pem("CERTIFICATE", encoded(certificate));
        }

        public String keyPem() {
            return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
        }
    }

    private final Identity self;
    private final X500Name name;

    private TestCa(Identity self, X500Name name) {
        this.self = self;
        this.name = name;
    }

    public static TestCa create(String commonName) {
        return create(
                commonName,
                Instant.now().minus(Duration.ofDays(1)),
                Instant.now().plus(Duration.ofDays(3650)));
    }

    public static TestCa create(String commonName, Instant from, Instant until) {
        var keys = newKeys();
        var name = new X500Name("CN=" + commonName);
        var certificate = certificate(name, keys.getPrivate(), name, keys.getPublic(), from, until, builder -> {
            add(builder, Extension.basicConstraints, true, new BasicConstraints(true));
            add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        });
        return new TestCa(new Identity(certificate, keys), name);
    }

    public X509Certificate certificate() {
        return self.certificate();
    }

    public Identity identity() {
        return self;
    }

    public String pem() {
        return self.certificatePem();
    }

    /** Issues a certificate for TLS on loopback. */
    public Identity server() {
        return issue("localhost", builder -> {
            var names = new GeneralNames(new GeneralName[] {
                new GeneralName(GeneralName.dNSName, "localhost"), new GeneralName(GeneralName.iPAddress, "127.0.0.1")
            });
            add(builder, Extension.subjectAlternativeName, false, names);
            add(builder, Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        });
    }

    /** Issues a code signing certificate, like the one that the controller issues to each policy server. */
    public Identity codeSigner(String commonName) {
        return issue(commonName, builder -> {
            add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            add(builder, Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_codeSigning));
        });
    }

    public Identity issue(String commonName, Consumer<X509v3CertificateBuilder> extensions) {
        return issue(
                commonName,
                newKeys(),
                Instant.now().minus(Duration.ofHours(1)),
                Instant.now().plus(Duration.ofDays(365)),
                extensions);
    }

    public Identity issue(
            String commonName,
            KeyPair keys,
            Instant from,
            Instant until,
            Consumer<X509v3CertificateBuilder> extensions) {
        var subject = new X500Name("CN=" + commonName);
        var certificate =
                certificate(name, self.keys().getPrivate(), subject, keys.getPublic(), from, until, extensions);
        return new Identity(certificate, keys);
    }

    public static X509Certificate certificate(
            X500Name issuer,
            PrivateKey issuerKey,
            X500Name subject,
            PublicKey key,
            Instant from,
            Instant until,
            Consumer<X509v3CertificateBuilder> extensions) {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    issuer, new BigInteger(120, new SecureRandom()), Date.from(from), Date.from(until), subject, key);
            extensions.accept(builder);
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKey);
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void add(
            X509v3CertificateBuilder builder, ASN1ObjectIdentifier id, boolean critical, ASN1Encodable value) {
        try {
            builder.addExtension(id, critical, value);
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static KeyPair newKeys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public static String pem(String label, byte[] der) {
        var body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    public static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a file without a checked exception. */
    public static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
