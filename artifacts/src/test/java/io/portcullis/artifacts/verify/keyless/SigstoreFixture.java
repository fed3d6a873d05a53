package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.signature.LogEntry;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.tsp.TSPAlgorithms;
import org.bouncycastle.tsp.TSPException;
import org.bouncycastle.tsp.TimeStampRequestGenerator;
import org.bouncycastle.tsp.TimeStampResponseGenerator;
import org.bouncycastle.tsp.TimeStampTokenGenerator;

/** A Sigstore instance for tests: a CA like Fulcio, a log like Rekor, a certificate log, a timestamp authority. */
public final class SigstoreFixture {

    private static final String FULCIO = "1.3.6.1.4.1.57264.1.";

    final Instant now;
    final TestCa root = TestCa.create("fulcio root");
    final TestCa.Identity intermediate;
    final KeyPair rekor = TestCa.newKeys();
    final KeyPair certificateLog = TestCa.newKeys();
    final TestCa stampers = TestCa.create("time stampers");
    final TestCa.Identity stamper;

    public SigstoreFixture() {
        this(Instant.now());
    }

    /** @param now when signatures are made; certificates of signers are valid for ten minutes */
    SigstoreFixture(Instant now) {
        this.now = now.truncatedTo(ChronoUnit.SECONDS);
        this.intermediate = root.issue(
                "fulcio", TestCa.newKeys(), now.minus(Duration.ofHours(1)), now.plus(Duration.ofDays(365)), builder -> {
                    TestCa.add(builder, Extension.basicConstraints, true, new BasicConstraints(0));
                    TestCa.add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
                });
        this.stamper = stamper(now.minus(Duration.ofHours(1)), now.plus(Duration.ofMinutes(5)));
    }

    /** Returns an instance whose signatures were made this long ago. */
    static SigstoreFixture of(Duration age) {
        return new SigstoreFixture(Instant.now().minus(age));
    }

    /** Issues a certificate of the timestamp authority. */
    TestCa.Identity stamper(Instant from, Instant until) {
        return stampers.issue(
                "stamper",
                TestCa.newKeys(),
                from,
                until,
                builder -> TestCa.add(
                        builder,
                        Extension.extendedKeyUsage,
                        true,
                        new ExtendedKeyUsage(KeyPurposeId.id_kp_timeStamping)));
    }

    /** A signer: subject, issuer, and the repository of a workflow. */
    public record SignerIdentity(String subject, String issuer, Optional<String> repository) {}

    public static final SignerIdentity WORKFLOW = new SignerIdentity(
            "https://github.com/kubewarden/policy/.github/workflows/release.yml@refs/tags/v1",
            "https://token.actions.githubusercontent.com",
            Optional.of("kubewarden/policy"));

    /** Issues a certificate like Fulcio, with a timestamp of the certificate log. */
    TestCa.Identity certificate(SignerIdentity person) {
        return certificate(person, Optional.of(certificateLog), KeyPurposeId.id_kp_codeSigning);
    }

    TestCa.Identity certificate(SignerIdentity person, Optional<KeyPair> stampedBy, KeyPurposeId purpose) {
        try {
            var keys = TestCa.newKeys();
            var builder = new JcaX509v3CertificateBuilder(
                    new X500Name(
                            intermediate.certificate().getSubjectX500Principal().getName()),
                    BigInteger.valueOf(System.nanoTime()),
                    Date.from(now.minusSeconds(60)),
                    Date.from(now.plus(Duration.ofMinutes(10))),
                    new X500Name(new RDN[0]),
                    keys.getPublic());
            TestCa.add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            TestCa.add(builder, Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
            var kind =
                    person.subject().contains("://") ? GeneralName.uniformResourceIdentifier : GeneralName.rfc822Name;
            TestCa.add(
                    builder,
                    Extension.subjectAlternativeName,
                    true,
                    new GeneralNames(new GeneralName(kind, person.subject())));
            builder.addExtension(
                    new ASN1ObjectIdentifier(FULCIO + "1"),
                    false,
                    person.issuer().getBytes(StandardCharsets.UTF_8));
            TestCa.add(builder, new ASN1ObjectIdentifier(FULCIO + "8"), false, new DERUTF8String(person.issuer()));
            if (person.repository().isPresent()) {
                builder.addExtension(
                        new ASN1ObjectIdentifier(FULCIO + "5"),
                        false,
                        person.repository().get().getBytes(StandardCharsets.UTF_8));
            }
            var signer = new JcaContentSignerBuilder("SHA256withECDSA")
                    .build(intermediate.keys().getPrivate());
            if (stampedBy.isPresent()) {
                var precertificate = builder.build(signer)
                        .toASN1Structure()
                        .getTBSCertificate()
                        .getEncoded();
                TestCa.add(
                        builder,
                        new ASN1ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2"),
                        false,
                        new DEROctetString(stampList(stampedBy.get(), precertificate)));
            }
            return new TestCa.Identity(new JcaX509CertificateConverter().getCertificate(builder.build(signer)), keys);
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] stampList(KeyPair log, byte[] precertificate) throws IOException {
        var signed = new ByteArrayOutputStream();
        var out = new DataOutputStream(signed);
        out.writeShort(0);
        out.writeLong(now.toEpochMilli());
        out.writeShort(1);
        out.write(sha256(intermediate.keys().getPublic().getEncoded()));
        out.writeByte(precertificate.length >> 16);
        out.writeShort(precertificate.length);
        out.write(precertificate);
        out.writeShort(0);
        var signature = sign(log, signed.toByteArray());
        var stamp = new ByteArrayOutputStream();
        var stampOut = new DataOutputStream(stamp);
        stampOut.writeByte(0);
        stampOut.write(id(log.getPublic()));
        stampOut.writeLong(now.toEpochMilli());
        stampOut.writeShort(0);
        stampOut.writeShort(0x0403);
        stampOut.writeShort(signature.length);
        stampOut.write(signature);
        var list = new ByteArrayOutputStream();
        var listOut = new DataOutputStream(list);
        listOut.writeShort(stamp.size() + 2);
        listOut.writeShort(stamp.size());
        listOut.write(stamp.toByteArray());
        return list.toByteArray();
    }

    /** Returns the trust root in the format of {@code --sigstore-trust-config}. */
    public String trustRootJson() {
        return """
                {"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1",
                 "tlogs":[%s],"ctlogs":[%s],
                 "certificateAuthorities":[{"certChain":{"certificates":[%s,%s]},"validFor":{"start":"2020-01-01T00:00:00Z"}}],
                 "timestampAuthorities":[{"certChain":{"certificates":[%s,%s]},"validFor":{"start":"2020-01-01T00:00:00Z"}}]}
                """.formatted(
                        log(rekor),
                        log(certificateLog),
                        raw(intermediate.certificate()),
                        raw(root.certificate()),
                        raw(stamper.certificate()),
                        raw(stampers.certificate()));
    }

    public TrustRoot trustRoot() {
        return TrustRoot.parse(trustRootJson().getBytes(StandardCharsets.UTF_8));
    }

    private static String log(KeyPair keys) {
        return "{\"logId\":{\"keyId\":\"" + base64(id(keys.getPublic())) + "\"},\"publicKey\":{\"rawBytes\":\""
                + base64(keys.getPublic().getEncoded()) + "\",\"validFor\":{\"start\":\"2020-01-01T00:00:00Z\"}}}";
    }

    private static String raw(X509Certificate certificate) {
        return "{\"rawBytes\":\"" + base64(TestCa.encoded(certificate)) + "\"}";
    }

    static byte[] id(PublicKey key) {
        return sha256(key.getEncoded());
    }

    static byte[] sign(KeyPair keys, byte[] content) {
        try {
            var signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(content);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The root of a Merkle tree and the inclusion path of one leaf (RFC 6962 §2.1). */
    record Tree(byte[] root, List<byte[]> path) {

        static Tree of(List<byte[]> leaves, int index) {
            if (leaves.size() == 1) {
                return new Tree(MerkleTree.leaf(leaves.getFirst()), List.of());
            }
            int split = Integer.highestOneBit(leaves.size() - 1);
            boolean left = index < split;
            var mine = of(
                    left ? leaves.subList(0, split) : leaves.subList(split, leaves.size()),
                    left ? index : index - split);
            var other = of(left ? leaves.subList(split, leaves.size()) : leaves.subList(0, split), 0);
            var root = left ? MerkleTree.node(mine.root(), other.root()) : MerkleTree.node(other.root(), mine.root());
            var path = new ArrayList<>(mine.path());
            path.add(other.root());
            return new Tree(root, path);
        }
    }

    LogEntry.Proof proof(byte[] body, KeyPair signer) {
        var leaves = List.of(new byte[] {1}, new byte[] {2}, new byte[] {3}, new byte[] {4}, body);
        var tree = Tree.of(leaves, 4);
        var note = "rekor.test - 1\n5\n" + base64(tree.root()) + "\n";
        var signature = sign(signer, note.getBytes(StandardCharsets.UTF_8));
        var hinted = new ByteArrayOutputStream();
        hinted.write(id(signer.getPublic()), 0, 4);
        hinted.writeBytes(signature);
        return new LogEntry.Proof(
                4, 5, tree.root(), tree.path(), note + "\n— rekor.test " + base64(hinted.toByteArray()) + "\n");
    }

    byte[] timestamp(byte[] signature, TestCa.Identity by) {
        return timestamp(signature, by, now, List.of());
    }

    /** @param embedded certificates inside of the time stamp */
    byte[] timestamp(byte[] signature, TestCa.Identity by, Instant time, List<X509Certificate> embedded) {
        try {
            var calculator = new JcaDigestCalculatorProviderBuilder()
                    .build()
                    .get(new AlgorithmIdentifier(NISTObjectIdentifiers.id_sha256));
            var signer = new JcaSimpleSignerInfoGeneratorBuilder()
                    .build("SHA256withECDSA", by.keys().getPrivate(), by.certificate());
            var generator = new TimeStampTokenGenerator(signer, calculator, new ASN1ObjectIdentifier("1.2.3"));
            if (!embedded.isEmpty()) {
                generator.addCertificates(new JcaCertStore(embedded));
            }
            var requests = new TimeStampRequestGenerator();
            requests.setCertReq(!embedded.isEmpty());
            var request = requests.generate(TSPAlgorithms.SHA256, sha256(signature));
            return new TimeStampResponseGenerator(generator, TSPAlgorithms.ALLOWED)
                    .generate(request, BigInteger.ONE, Date.from(time))
                    .getEncoded();
        } catch (GeneralSecurityException | OperatorCreationException | TSPException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
