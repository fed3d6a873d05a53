package io.portcullis.artifacts.verify.keyless;

import static io.portcullis.artifacts.verify.keyless.SigstoreFixture.base64;
import static io.portcullis.artifacts.verify.keyless.SigstoreFixture.sha256;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.signature.SigstoreBundle;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.io.ByteArrayOutputStream;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Builds a Sigstore bundle and its trust root from parts. All parts together are valid; a test changes one of them.
 *
 * <p>The other parts follow a changed one: a changed entry has a valid proof, and a changed checkpoint has a valid signature.
 */
final class BundleRecipe {

    static final String IN_TOTO = "application/vnd.in-toto+json";
    static final String V01 = "application/vnd.dev.sigstore.bundle+json;version=0.1";
    static final String V02 = "application/vnd.dev.sigstore.bundle+json;version=0.2";
    static final String V03 = "application/vnd.dev.sigstore.bundle.v0.3+json";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String ORIGIN = "rekor.test";
    private static final int INDEX = 4;

    enum EntryKind {
        DSSE,
        IN_TOTO,
        HASHED_REKORD_2,
        DSSE_2
    }

    final SigstoreFixture sigstore;
    String mediaType = V03;
    byte[] statement = KeylessRecipe.statement(KeylessRecipe.DIGEST);
    final TestCa.Identity signer;
    byte[] signature;
    List<X509Certificate> certificates;

    EntryKind kind = EntryKind.DSSE;
    byte[] loggedStatement = statement;
    byte[] loggedSignature;
    TestCa.Identity loggedSigner;

    boolean promised;
    Instant integratedTime;
    boolean proved = true;
    UnaryOperator<String> note = UnaryOperator.identity();
    UnaryOperator<String> noteSignatures = UnaryOperator.identity();

    List<byte[]> stamps;
    Consumer<ObjectNode> finish = _ -> {};
    Consumer<ObjectNode> trust = _ -> {};

    BundleRecipe(SigstoreFixture sigstore) {
        this.sigstore = sigstore;
        this.integratedTime = sigstore.now;
        this.signer = sigstore.certificate(SigstoreFixture.WORKFLOW);
        this.loggedSigner = signer;
        this.certificates = List.of(signer.certificate());
        this.signature =
                SigstoreFixture.sign(signer.keys(), SigstoreBundle.preAuthenticationEncoding(IN_TOTO, statement));
        this.loggedSignature = signature;
        this.stamps = List.of(sigstore.timestamp(signature, sigstore.stamper));
    }

    /** Replaces the signature, also in the log and in the time stamp. */
    void signed(byte[] other) {
        signature = other;
        loggedSignature = other;
        stamps = List.of(sigstore.timestamp(other, sigstore.stamper));
    }

    /** Replaces the time stamp by the promise of the older log. */
    void promisedAt(Instant time) {
        promised = true;
        integratedTime = time;
        stamps = List.of();
    }

    byte[] bundle() throws JsonProcessingException {
        var material = NODES.objectNode();
        if (mediaType.equals(V03)) {
            material.set("certificate", raw(certificates.getFirst()));
        } else {
            var chain = material.putObject("x509CertificateChain").putArray("certificates");
            certificates.forEach(each -> chain.add(raw(each)));
        }
        material.putArray("tlogEntries").add(entry());
        var stamped = material.putObject("timestampVerificationData").putArray("rfc3161Timestamps");
        stamps.forEach(each -> stamped.addObject().put("signedTimestamp", base64(each)));
        var bundle = NODES.objectNode().put("mediaType", mediaType);
        bundle.set("verificationMaterial", material);
        var envelope =
                bundle.putObject("dsseEnvelope").put("payloadType", IN_TOTO).put("payload", base64(statement));
        envelope.putArray("signatures").addObject().put("sig", base64(signature));
        finish.accept(bundle);
        return JSON.writeValueAsBytes(bundle);
    }

    TrustRoot trustRoot() throws JsonProcessingException {
        var root = (ObjectNode) JSON.readTree(sigstore.trustRootJson());
        trust.accept(root);
        return TrustRoot.parse(JSON.writeValueAsBytes(root));
    }

    private ObjectNode entry() throws JsonProcessingException {
        var body = JSON.writeValueAsBytes(body());
        var entry = NODES.objectNode().put("logIndex", "42").put("canonicalizedBody", base64(body));
        entry.putObject("logId").put("keyId", base64(logId()));
        if (promised) {
            entry.put("integratedTime", Long.toString(integratedTime.getEpochSecond()));
            entry.putObject("inclusionPromise").put("signedEntryTimestamp", base64(promise(body)));
        }
        if (proved) {
            entry.set("inclusionProof", proof(body));
        }
        return entry;
    }

    private byte[] logId() {
        return SigstoreFixture.id(sigstore.rekor.getPublic());
    }

    private byte[] promise(byte[] body) {
        var signed = "{\"body\":\"" + base64(body) + "\",\"integratedTime\":" + integratedTime.getEpochSecond()
                + ",\"logID\":\"" + HexFormat.of().formatHex(logId()) + "\",\"logIndex\":42}";
        return SigstoreFixture.sign(sigstore.rekor, signed.getBytes(UTF_8));
    }

    private ObjectNode proof(byte[] body) {
        var leaves = List.of(new byte[] {1}, new byte[] {2}, new byte[] {3}, new byte[] {4}, body);
        var tree = SigstoreFixture.Tree.of(leaves, INDEX);
        var signed = note.apply(ORIGIN + "\n5\n" + base64(tree.root()) + "\n");
        var signatures = noteSignatures.apply(noteSignature(ORIGIN, sigstore.rekor, signed));
        var proof = NODES.objectNode().put("logIndex", Integer.toString(INDEX)).put("treeSize", "5");
        proof.put("rootHash", base64(tree.root()));
        var hashes = proof.putArray("hashes");
        tree.path().forEach(each -> hashes.add(base64(each)));
        proof.putObject("checkpoint").put("envelope", signed + "\n" + signatures);
        return proof;
    }

    /** Returns a line with the key hint of the signer. */
    static String noteSignature(String name, KeyPair by, String signed) {
        var hinted = new ByteArrayOutputStream();
        hinted.write(SigstoreFixture.id(by.getPublic()), 0, 4);
        hinted.writeBytes(SigstoreFixture.sign(by, signed.getBytes(UTF_8)));
        return "— " + name + " " + base64(hinted.toByteArray()) + "\n";
    }

    private ObjectNode body() {
        var body = NODES.objectNode();
        var spec = NODES.objectNode();
        var pem = base64(loggedSigner.certificatePem().getBytes(UTF_8));
        var hash = HexFormat.of().formatHex(sha256(loggedStatement));
        switch (kind) {
            case DSSE -> {
                body.put("apiVersion", "0.0.1").put("kind", "dsse");
                spec.putObject("payloadHash").put("algorithm", "sha256").put("value", hash);
                spec.putArray("signatures")
                        .addObject()
                        .put("signature", base64(loggedSignature))
                        .put("verifier", pem);
            }
            case IN_TOTO -> {
                body.put("apiVersion", "0.0.2").put("kind", "intoto");
                var content = spec.putObject("content");
                content.putObject("payloadHash").put("algorithm", "sha256").put("value", hash);
                content.putObject("envelope")
                        .putArray("signatures")
                        .addObject()
                        .put("sig", base64(base64(loggedSignature).getBytes(UTF_8)))
                        .put("publicKey", pem);
            }
            case HASHED_REKORD_2 -> {
                body.put("apiVersion", "0.0.2").put("kind", "hashedrekord");
                var logged = spec.putObject("hashedRekordV002");
                var encoded = SigstoreBundle.preAuthenticationEncoding(IN_TOTO, loggedStatement);
                logged.putObject("data").put("algorithm", "SHA2_256").put("digest", base64(sha256(encoded)));
                logged.set("signature", version2Signature());
            }
            case DSSE_2 -> {
                body.put("apiVersion", "0.0.2").put("kind", "dsse");
                var logged = spec.putObject("dsseV002");
                logged.putObject("payloadHash")
                        .put("algorithm", "SHA2_256")
                        .put("digest", base64(sha256(loggedStatement)));
                logged.putArray("signatures").add(version2Signature());
            }
        }
        body.set("spec", spec);
        return body;
    }

    private ObjectNode version2Signature() {
        var signed = NODES.objectNode().put("content", base64(loggedSignature));
        signed.putObject("verifier").set("x509Certificate", raw(loggedSigner.certificate()));
        return signed;
    }

    static ObjectNode raw(X509Certificate certificate) {
        return NODES.objectNode().put("rawBytes", base64(TestCa.encoded(certificate)));
    }

    static ObjectNode logEntry(ObjectNode bundle) {
        return (ObjectNode) bundle.at("/verificationMaterial/tlogEntries/0");
    }

    static ArrayNode logEntries(ObjectNode bundle) {
        return (ArrayNode) bundle.at("/verificationMaterial/tlogEntries");
    }

    static byte[] withChangedBit(byte[] bytes) {
        var changed = Arrays.copyOf(bytes, bytes.length);
        changed[bytes.length - 1] ^= 1;
        return changed;
    }

    static List<byte[]> both(List<byte[]> stamps, byte[] other) {
        var all = new ArrayList<>(stamps);
        all.add(other);
        return all;
    }
}
