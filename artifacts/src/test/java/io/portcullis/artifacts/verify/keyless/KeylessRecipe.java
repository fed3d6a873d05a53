package io.portcullis.artifacts.verify.keyless;

import static io.portcullis.artifacts.verify.keyless.SigstoreFixture.base64;

import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.signature.Candidate;
import io.portcullis.artifacts.verify.signature.SigstoreBundle;
import io.portcullis.artifacts.verify.signature.SimpleSigning;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** Builds a valid keyless signature of an image. A test changes one part and expects a rejection. */
public final class KeylessRecipe {

    public static final String DIGEST = "sha256:" + "ab".repeat(32);
    private static final String IN_TOTO = "application/vnd.in-toto+json";

    private final SigstoreFixture sigstore;
    TestCa.Identity signer;
    TestCa.Identity presented;
    byte[] payload;
    byte[] signedPayload;
    byte[] loggedPayload;
    TestCa.Identity loggedSigner;
    Optional<byte[]> loggedSignature = Optional.empty();
    KeyPair log;
    Instant loggedAt;
    Instant promisedTime;

    public KeylessRecipe(SigstoreFixture sigstore, SigstoreFixture.SignerIdentity person) {
        this(sigstore, person, DIGEST);
    }

    public KeylessRecipe(SigstoreFixture sigstore, SigstoreFixture.SignerIdentity person, String digest) {
        this.sigstore = sigstore;
        this.log = sigstore.rekor;
        this.loggedAt = sigstore.now;
        this.promisedTime = sigstore.now;
        this.payload = payload(digest);
        this.signedPayload = payload;
        this.loggedPayload = payload;
        this.signer = sigstore.certificate(person);
        this.presented = signer;
        this.loggedSigner = signer;
    }

    /** Signs with the key of a certificate that Sigstore did not issue. */
    public static KeylessRecipe byCertificate(TestCa.Identity signer, String digest) {
        var recipe = new KeylessRecipe(new SigstoreFixture(), SigstoreFixture.WORKFLOW, digest);
        recipe.by(signer);
        return recipe;
    }

    void by(TestCa.Identity identity) {
        signer = identity;
        presented = identity;
        loggedSigner = identity;
    }

    static byte[] payload(String digest) {
        return ("{\"critical\":{\"identity\":{\"docker-reference\":\"x\"},\"image\":{\"docker-manifest-digest\":\""
                        + digest
                        + "\"},\"type\":\"cosign container image signature\"},\"optional\":{\"env\":\"prod\",\"build\":7}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    static byte[] statement(String digest) {
        return ("{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"digest\":{\"sha256\":\""
                        + digest.substring(7)
                        + "\"},\"annotations\":{\"env\":\"prod\"}}],\"predicateType\":\"https://sigstore.dev/cosign/sign/v1\",\"predicate\":{}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] hashedRekord(byte[] signature) {
        var logged = loggedSignature.orElse(signature);
        return ("{\"apiVersion\":\"0.0.1\",\"kind\":\"hashedrekord\",\"spec\":{\"data\":{\"hash\":{\"algorithm\":\"sha256\",\"value\":\""
                        + HexFormat.of().formatHex(SigstoreFixture.sha256(loggedPayload))
                        + "\"}},\"signature\":{\"content\":\"" + base64(logged)
                        + "\",\"publicKey\":{\"content\":\""
                        + base64(loggedSigner.certificatePem().getBytes(StandardCharsets.UTF_8)) + "\"}}}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] promise(byte[] body) {
        var signed = "{\"body\":\"" + base64(body) + "\",\"integratedTime\":" + loggedAt.getEpochSecond()
                + ",\"logID\":\"" + logId() + "\",\"logIndex\":42}";
        return SigstoreFixture.sign(log, signed.getBytes(StandardCharsets.UTF_8));
    }

    private String logId() {
        return HexFormat.of().formatHex(SigstoreFixture.id(sigstore.rekor.getPublic()));
    }

    /** Returns the annotations of a {@code .sig} layer. */
    public Map<String, String> annotations() {
        var signature = SigstoreFixture.sign(signer.keys(), signedPayload);
        var body = hashedRekord(signature);
        return Map.of(
                "dev.cosignproject.cosign/signature", base64(signature),
                "dev.sigstore.cosign/certificate", presented.certificatePem(),
                "dev.sigstore.cosign/bundle",
                        "{\"SignedEntryTimestamp\":\"" + base64(promise(body)) + "\",\"Payload\":{\"body\":\""
                                + base64(body) + "\",\"integratedTime\":" + promisedTime.getEpochSecond()
                                + ",\"logIndex\":42,\"logID\":\"" + logId() + "\"}}");
    }

    public byte[] layer() {
        return payload;
    }

    Candidate candidate() throws UntrustedException {
        return SimpleSigning.read(payload, annotations(), DIGEST);
    }

    /** Builds a bundle of the newer log: no promise, a proof, and the time from a timestamp authority. */
    byte[] bundle(byte[] statement, BundleOptions options) {
        var encoded = SigstoreBundle.preAuthenticationEncoding(IN_TOTO, statement);
        var signature = SigstoreFixture.sign(signer.keys(), encoded);
        var body =
                ("{\"apiVersion\":\"0.0.1\",\"kind\":\"dsse\",\"spec\":{\"payloadHash\":{\"algorithm\":\"sha256\",\"value\":\""
                                + HexFormat.of()
                                        .formatHex(SigstoreFixture.sha256(
                                                options.logged().orElse(statement)))
                                + "\"},\"signatures\":[{\"signature\":\"" + base64(signature) + "\",\"verifier\":\""
                                + base64(loggedSigner.certificatePem().getBytes(StandardCharsets.UTF_8)) + "\"}]}}")
                        .getBytes(StandardCharsets.UTF_8);
        var proof = sigstore.proof(body, options.checkpointBy());
        var hashes =
                proof.hashes().stream().map(hash -> "\"" + base64(hash) + "\"").toList();
        var stamp = sigstore.timestamp(options.stampOver().orElse(signature), options.stamper());
        return ("{\"mediaType\":\"application/vnd.dev.sigstore.bundle.v0.3+json\",\"verificationMaterial\":{\"certificate\":{\"rawBytes\":\""
                        + base64(TestCa.encoded(presented.certificate()))
                        + "\"},\"tlogEntries\":[{\"logIndex\":\"4\",\"logId\":{\"keyId\":\""
                        + base64(SigstoreFixture.id(sigstore.rekor.getPublic()))
                        + "\"},\"canonicalizedBody\":\"" + base64(body)
                        + "\",\"inclusionProof\":{\"logIndex\":\"" + options.proofIndex()
                        + "\",\"treeSize\":\"5\",\"rootHash\":\""
                        + base64(proof.rootHash()) + "\",\"hashes\":" + hashes + ",\"checkpoint\":{\"envelope\":\""
                        + proof.checkpoint().replace("\n", "\\n")
                        + "\"}}}],\"timestampVerificationData\":{\"rfc3161Timestamps\":["
                        + (options.stamped() ? "{\"signedTimestamp\":\"" + base64(stamp) + "\"}" : "")
                        + "]}},\"dsseEnvelope\":{\"payloadType\":\"" + IN_TOTO + "\",\"payload\":\""
                        + base64(statement) + "\",\"signatures\":[{\"sig\":\"" + base64(signature) + "\"}]}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** The parts of a bundle that tests change. */
    record BundleOptions(
            Optional<byte[]> logged,
            KeyPair checkpointBy,
            int proofIndex,
            boolean stamped,
            TestCa.Identity stamper,
            Optional<byte[]> stampOver) {

        static BundleOptions good(SigstoreFixture sigstore) {
            return new BundleOptions(Optional.empty(), sigstore.rekor, 4, true, sigstore.stamper, Optional.empty());
        }

        BundleOptions loggedAs(byte[] other) {
            return new BundleOptions(Optional.of(other), checkpointBy, proofIndex, stamped, stamper, stampOver);
        }

        BundleOptions checkpointBy(KeyPair other) {
            return new BundleOptions(logged, other, proofIndex, stamped, stamper, stampOver);
        }

        BundleOptions atIndex(int other) {
            return new BundleOptions(logged, checkpointBy, other, stamped, stamper, stampOver);
        }

        BundleOptions withoutStamp() {
            return new BundleOptions(logged, checkpointBy, proofIndex, false, stamper, stampOver);
        }

        BundleOptions stampedBy(TestCa.Identity other) {
            return new BundleOptions(logged, checkpointBy, proofIndex, stamped, other, stampOver);
        }

        BundleOptions stampOver(byte[] other) {
            return new BundleOptions(logged, checkpointBy, proofIndex, stamped, stamper, Optional.of(other));
        }
    }
}
