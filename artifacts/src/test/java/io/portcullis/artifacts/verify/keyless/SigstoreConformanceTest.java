package io.portcullis.artifacts.verify.keyless;

import static io.portcullis.artifacts.verify.keyless.BundleRecipe.both;
import static io.portcullis.artifacts.verify.keyless.BundleRecipe.logEntries;
import static io.portcullis.artifacts.verify.keyless.BundleRecipe.logEntry;
import static io.portcullis.artifacts.verify.keyless.BundleRecipe.noteSignature;
import static io.portcullis.artifacts.verify.keyless.BundleRecipe.withChangedBit;
import static io.portcullis.artifacts.verify.keyless.SigstoreFixture.base64;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.keyless.BundleRecipe.EntryKind;
import io.portcullis.artifacts.verify.signature.SigstoreBundle;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The cases of the official Sigstore conformance suite that need no network, made with an instance of our own. Each case has the
 * name of the suite's directory. The signed content is cosign's statement about an image, because we accept nothing else.
 */
class SigstoreConformanceTest {

    /** Signatures are checked long after the certificates of signer and timestamp authority have expired. */
    private static final SigstoreFixture SIGSTORE = SigstoreFixture.of(Duration.ofHours(3));

    private static final SigstoreFixture OTHER = new SigstoreFixture(SIGSTORE.now);
    private static final byte[] OTHER_STATEMENT = new String(KeylessRecipe.statement(KeylessRecipe.DIGEST), UTF_8)
            .replace("prod", "test")
            .getBytes(UTF_8);

    /** @param why part of the expected message */
    record Case(String name, Consumer<BundleRecipe> change, String why) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Case accepted(String name, Consumer<BundleRecipe> change) {
        return new Case(name, change, "");
    }

    static Stream<Case> acceptedBundles() {
        return Stream.of(
                accepted("happy-path-v0.1", it -> {
                    it.mediaType = BundleRecipe.V01;
                    it.promisedAt(SIGSTORE.now);
                    it.proved = false;
                }),
                accepted("happy-path-v0.2", it -> {
                    it.mediaType = BundleRecipe.V02;
                    it.promisedAt(SIGSTORE.now);
                }),
                accepted("happy-path-v0.3", it -> {
                    it.mediaType = "application/vnd.dev.sigstore.bundle+json;version=0.3";
                    it.promisedAt(SIGSTORE.now);
                }),
                accepted("happy-path-v0.3-new-mediaType", it -> it.promisedAt(SIGSTORE.now)),
                accepted("happy-path-intoto-in-dsse-v3", _ -> {}),
                accepted("intoto-with-custom-trust-root", it -> it.kind = EntryKind.IN_TOTO),
                accepted("rekor2-happy-path", it -> it.kind = EntryKind.DSSE_2),
                accepted("rekor2-dsse-happy-path", it -> it.kind = EntryKind.HASHED_REKORD_2),
                accepted(
                        "rekor2-checkpoint-cosigned",
                        it -> it.noteSignatures = lines -> lines + noteSignature("witness.test", OTHER.rekor, "x")),
                accepted(
                        "rekor2-checkpoint-multiple-cosigs",
                        it -> it.noteSignatures = lines -> lines
                                + noteSignature("one.test", OTHER.rekor, "x")
                                + noteSignature("two.test", TestCa.newKeys(), "y")),
                accepted(
                        "rekor2-checkpoint-origin-not-first",
                        it -> it.noteSignatures = lines -> noteSignature("witness.test", OTHER.rekor, "x") + lines),
                accepted(
                        "rekor2-checkpoint-two-sigs-from-origin",
                        it -> it.noteSignatures = lines -> noteSignature("rekor.test", OTHER.rekor, "x") + lines),
                accepted(
                        "rekor2-timestamp-with-embedded-cert",
                        it -> it.stamps = List.of(SIGSTORE.timestamp(
                                it.signature,
                                SIGSTORE.stamper,
                                SIGSTORE.now,
                                List.of(SIGSTORE.stamper.certificate())))),
                accepted("rekor2-timestamp-with-expired-cert-chain", _ -> {}),
                accepted("trust-root-tlog-validity-end-inclusive", it -> {
                    it.promisedAt(SIGSTORE.now);
                    it.trust = root -> validity(root.at("/tlogs/0/publicKey")).put("end", SIGSTORE.now.toString());
                }),
                accepted(
                        "trust-root-tsa-validity-end-inclusive",
                        it -> it.trust = root ->
                                validity(root.at("/timestampAuthorities/0")).put("end", SIGSTORE.now.toString())),
                accepted(
                        "trust root with an end that is null",
                        it -> it.trust =
                                root -> validity(root.at("/tlogs/0/publicKey")).putNull("end")),
                accepted(
                        "trust root with a log whose kind of key is unknown",
                        it -> it.trust = root -> addLog(root, new byte[] {1, 2, 3})));
    }

    @ParameterizedTest
    @MethodSource("acceptedBundles")
    void accepts(Case example) throws Exception {
        var recipe = new BundleRecipe(SIGSTORE);
        example.change().accept(recipe);

        assertThat(signer(recipe).subject()).isEqualTo(SigstoreFixture.WORKFLOW.subject());
    }

    static Stream<Case> rejectedBundles() {
        return Stream.of(
                new Case(
                        "bundle-empty-certificate-chain_fail",
                        it -> {
                            it.mediaType = BundleRecipe.V02;
                            it.certificates = List.of();
                        },
                        "without a certificate"),
                new Case("bundle-from-wrong-instance_fail", _ -> {}, "unknown log"),
                new Case(
                        "bundle-invalid-base64-signature_fail",
                        it -> it.finish =
                                bundle -> ((ObjectNode) bundle.at("/dsseEnvelope/signatures/0")).put("sig", "!!"),
                        "malformed"),
                new Case(
                        "bundle-negative-log-index_fail",
                        it -> it.finish = bundle -> proof(bundle).put("logIndex", "-1"),
                        "outside its tree"),
                new Case(
                        "bundle-negative-log-index_fail, with a promise",
                        it -> {
                            it.promisedAt(SIGSTORE.now);
                            it.finish = bundle -> logEntry(bundle).put("logIndex", "-42");
                        },
                        "did not sign this entry"),
                new Case(
                        "bundle-unknown-version_fail",
                        it -> it.mediaType = "application/vnd.dev.sigstore.bundle+json;version=99.9",
                        "unknown version"),
                new Case("bundle without version", it -> it.mediaType = "", "unknown version"),
                new Case(
                        "bundle-with-root-cert_fail",
                        it -> {
                            it.mediaType = BundleRecipe.V02;
                            it.certificates = List.of(SIGSTORE.root.certificate());
                        },
                        "not by the key of its certificate"),
                new Case(
                        "checkpoint-bad-keyhint_fail",
                        it -> it.noteSignatures = SigstoreConformanceTest::withOtherHint,
                        "did not sign this checkpoint"),
                new Case(
                        "checkpoint-wrong-roothash_fail",
                        it -> it.note = text -> line(text, 2, base64(new byte[32])),
                        "checkpoint is of another tree"),
                new Case(
                        "dsse-invalid-sig_fail",
                        it -> it.signed(SigstoreFixture.sign(OTHER.rekor, new byte[] {1})),
                        "not by the key of its certificate"),
                new Case(
                        "dsse-mismatch-envelope_fail",
                        it -> it.loggedStatement = OTHER_STATEMENT,
                        "the log entry is about other content"),
                new Case(
                        "dsse-mismatch-sig_fail",
                        it -> it.loggedSignature = secondSignature(it),
                        "the log entry is about another signature"),
                new Case(
                        "inclusion-proof-corrupted-hash_fail",
                        it -> it.finish = SigstoreConformanceTest::changeHash,
                        "the log's tree does not contain the entry"),
                new Case(
                        "incorrect-public-key_fail",
                        it -> it.loggedSigner = SIGSTORE.certificate(SigstoreFixture.WORKFLOW),
                        "the log entry is about another signer"),
                new Case(
                        "integrated-time-in-future_fail",
                        it -> it.promisedAt(SIGSTORE.now.plus(Duration.ofDays(1))),
                        "outside the life of its certificate"),
                new Case(
                        "intoto-expired-certificate_fail",
                        it -> it.trust = root ->
                                validity(root.at("/certificateAuthorities/0")).put("end", "2021-01-01T00:00:00Z"),
                        "no certificate authority was trusted"),
                new Case(
                        "intoto-log-entry-mismatch_fail",
                        it -> {
                            it.kind = EntryKind.IN_TOTO;
                            it.loggedStatement = OTHER_STATEMENT;
                        },
                        "the log entry is about other content"),
                new Case(
                        "intoto entry with another signature",
                        it -> {
                            it.kind = EntryKind.IN_TOTO;
                            it.loggedSignature = secondSignature(it);
                        },
                        "the log entry is about another signature"),
                new Case(
                        "intoto-missing-inclusion-proof_fail",
                        it -> {
                            it.mediaType = BundleRecipe.V02;
                            it.kind = EntryKind.IN_TOTO;
                            it.promisedAt(SIGSTORE.now);
                            it.proved = false;
                        },
                        "no inclusion proof"),
                new Case(
                        "intoto-set-outside-signing-cert-validity_fail",
                        it -> {
                            var stamps = it.stamps;
                            it.promisedAt(SIGSTORE.now.plus(Duration.ofHours(1)));
                            it.stamps = stamps;
                        },
                        "outside the life of its certificate"),
                new Case(
                        "intoto-tsa-timestamp-outside-cert-validity_fail",
                        it -> {
                            it.promisedAt(SIGSTORE.now);
                            it.stamps = List.of(lateStamp(it));
                        },
                        "outside the life of its certificate"),
                new Case(
                        "first of two time stamps outside the certificate's life",
                        it -> it.stamps = both(List.of(lateStamp(it)), it.stamps.getFirst()),
                        "outside the life of its certificate"),
                new Case(
                        "invalid-checkpoint-signature_fail",
                        it -> it.noteSignatures = _ -> noteSignature("rekor.test", SIGSTORE.rekor, "other"),
                        "did not sign this checkpoint"),
                new Case(
                        "invalid-ct-key_fail",
                        it -> it.trust = root -> ((ObjectNode) root.at("/ctlogs/0/publicKey"))
                                .put(
                                        "rawBytes",
                                        base64(OTHER.certificateLog.getPublic().getEncoded())),
                        "no known certificate log"),
                new Case(
                        "invalid-inclusion-proof_fail",
                        it -> it.finish = bundle -> proof(bundle).put("logIndex", "3"),
                        "proof of inclusion"),
                new Case(
                        "managed-key-no-key_fail",
                        it -> it.finish = bundle -> {
                            var material = (ObjectNode) bundle.get("verificationMaterial");
                            material.remove("certificate");
                            material.putObject("publicKey").put("hint", "key");
                        },
                        "without a certificate"),
                new Case(
                        "message signature instead of an envelope",
                        it -> it.finish = bundle -> {
                            bundle.remove("dsseEnvelope");
                            bundle.putObject("messageSignature").put("signature", base64(it.signature));
                        },
                        "no envelope"),
                new Case(
                        "envelope with two signatures",
                        it -> it.finish = bundle -> bundle.withArray("/dsseEnvelope/signatures")
                                .addObject()
                                .put("sig", base64(it.signature)),
                        "no envelope with one signature"),
                new Case(
                        "rekor2-checkpoint-missing-log-signature_fail",
                        it -> it.noteSignatures = _ -> noteSignature("witness.test", OTHER.rekor, "x"),
                        "did not sign this checkpoint"),
                new Case(
                        "rekor2-checkpoint-missing-origin_fail",
                        it -> it.note = text -> without(text, 0),
                        "checkpoint is of another tree"),
                new Case(
                        "rekor2-checkpoint-missing-root-hash_fail",
                        it -> it.note = text -> without(text, 2),
                        "checkpoint is of another tree"),
                new Case(
                        "rekor2-checkpoint-missing-size_fail",
                        it -> it.note = text -> without(text, 1),
                        "checkpoint is of another tree"),
                new Case(
                        "rekor2-checkpoint-no-matching-signature_fail",
                        it -> it.finish = bundle -> {
                            var checkpoint = (ObjectNode) proof(bundle).get("checkpoint");
                            var text = checkpoint.get("envelope").asText();
                            checkpoint.put("envelope", text.replace("rekor.test", "rekor.other"));
                        },
                        "did not sign this checkpoint"),
                new Case(
                        "rekor2-dsse-invalid-sig_fail",
                        it -> {
                            it.kind = EntryKind.HASHED_REKORD_2;
                            it.signed(SigstoreFixture.sign(OTHER.rekor, new byte[] {1}));
                        },
                        "not by the key of its certificate"),
                new Case(
                        "rekor2-dsse-mismatch-envelope_fail",
                        it -> {
                            it.kind = EntryKind.HASHED_REKORD_2;
                            it.loggedStatement = OTHER_STATEMENT;
                        },
                        "the log entry is about other content"),
                new Case(
                        "rekor2-dsse-mismatch-sig_fail",
                        it -> {
                            it.kind = EntryKind.HASHED_REKORD_2;
                            it.loggedSignature = secondSignature(it);
                        },
                        "the log entry is about another signature"),
                new Case("rekor2-no-inclusion-proof_fail", it -> it.proved = false, "no inclusion proof"),
                new Case("rekor2-no-timestamp_fail", it -> it.stamps = List.of(), "nothing trusted says when"),
                new Case(
                        "rekor2-timestamp-outside-trust-root-tsa-validity_fail",
                        it -> it.trust = root ->
                                validity(root.at("/timestampAuthorities/0")).put("end", "2021-01-01T00:00:00Z"),
                        "not by a known authority"),
                new Case(
                        "rekor2-timestamp-outside-tsa-cert-validity_fail",
                        it -> {
                            var expired = SIGSTORE.stamper(
                                    SIGSTORE.now.minus(Duration.ofHours(2)), SIGSTORE.now.minus(Duration.ofHours(1)));
                            it.stamps = List.of(SIGSTORE.timestamp(it.signature, expired));
                            it.trust =
                                    root -> ((ObjectNode) root.at("/timestampAuthorities/0/certChain/certificates/0"))
                                            .setAll(BundleRecipe.raw(expired.certificate()));
                        },
                        "not by a trusted authority"),
                new Case(
                        "rekor2-timestamp-payload-mismatch_fail",
                        it -> it.stamps = List.of(SIGSTORE.timestamp(new byte[] {1}, SIGSTORE.stamper)),
                        "the time stamp is for another signature"),
                new Case(
                        "rekor2-timestamp-untrusted-tsa-with-embedded-cert_fail",
                        it -> it.stamps = List.of(SIGSTORE.timestamp(
                                it.signature, OTHER.stamper, SIGSTORE.now, List.of(OTHER.stamper.certificate()))),
                        "not by a known authority"),
                new Case(
                        "rekor2-timestamp-untrusted-tsa-without-embedded-cert_fail",
                        it -> it.stamps = List.of(SIGSTORE.timestamp(it.signature, OTHER.stamper)),
                        "not by a known authority"),
                new Case(
                        "rekor2-timestamp-with-incorrect-time_fail",
                        it -> it.stamps = List.of(lateStamp(it)),
                        "outside the life of its certificate"),
                new Case(
                        "set-invalid-signature_fail",
                        it -> {
                            it.promisedAt(SIGSTORE.now);
                            it.finish = bundle -> logEntry(bundle)
                                    .putObject("inclusionPromise")
                                    .put(
                                            "signedEntryTimestamp",
                                            base64(SigstoreFixture.sign(OTHER.rekor, new byte[1])));
                        },
                        "did not sign this entry"),
                new Case(
                        "signature-mismatch_fail",
                        it -> {
                            it.kind = EntryKind.DSSE_2;
                            it.signed(withChangedBit(it.signature));
                        },
                        "not by the key of its certificate"),
                new Case(
                        "trust-root-tlog-missing-validity-start_fail",
                        it -> it.trust =
                                root -> validity(root.at("/tlogs/0/publicKey")).remove("start"),
                        "no start of its validity"),
                new Case(
                        "second entry of another log",
                        it -> it.finish = bundle -> {
                            var second = logEntry(bundle).deepCopy();
                            second.putObject("logId").put("keyId", base64(new byte[32]));
                            logEntries(bundle).add(second);
                        },
                        "unknown log"),
                new Case(
                        "second entry about other content",
                        it -> it.finish = bundle -> {
                            var other = new BundleRecipe(SIGSTORE);
                            other.loggedStatement = OTHER_STATEMENT;
                            logEntries(bundle).add(entryOf(other));
                        },
                        "the log entry is about other content"),
                new Case(
                        "wrong-hashedrekord-cert-and-sig_fail",
                        it -> {
                            it.kind = EntryKind.HASHED_REKORD_2;
                            it.loggedSigner = SIGSTORE.certificate(SigstoreFixture.WORKFLOW);
                            it.loggedSignature = SigstoreFixture.sign(
                                    it.loggedSigner.keys(),
                                    SigstoreBundle.preAuthenticationEncoding(BundleRecipe.IN_TOTO, it.statement));
                        },
                        "the log entry is about another signature"),
                new Case(
                        "wrong-hashedrekord-entry_fail",
                        it -> {
                            it.kind = EntryKind.HASHED_REKORD_2;
                            it.loggedStatement = new byte[] {1};
                        },
                        "the log entry is about other content"),
                new Case(
                        "wrong-material_fail",
                        it -> it.statement = KeylessRecipe.statement("sha256:" + "cd".repeat(32)),
                        "the statement is not about"));
    }

    @ParameterizedTest
    @MethodSource("rejectedBundles")
    void rejects(Case example) {
        var isForeign = example.name().equals("bundle-from-wrong-instance_fail");
        var recipe = new BundleRecipe(isForeign ? OTHER : SIGSTORE);
        example.change().accept(recipe);

        assertThatThrownBy(() -> new Keyless(isForeign ? SIGSTORE.trustRoot() : recipe.trustRoot())
                        .signer(SigstoreBundle.read(recipe.bundle(), KeylessRecipe.DIGEST)))
                .isInstanceOfAny(UntrustedException.class, ArtifactException.class)
                .hasMessageContaining(example.why());
    }

    /** The case {@code bundle-malformed-json_fail}. */
    @Test
    void rejectsATruncatedBundle() throws Exception {
        var text = new String(new BundleRecipe(SIGSTORE).bundle(), UTF_8);

        assertThatThrownBy(() ->
                        SigstoreBundle.read(text.substring(0, text.length() / 2).getBytes(UTF_8), KeylessRecipe.DIGEST))
                .isInstanceOf(UntrustedException.class)
                .hasMessageContaining("malformed");
    }

    /** The trust root of the suite has a certificate log with such a key. */
    @Test
    void readsAnRsaKeyInItsOlderForm() throws Exception {
        var keys = rsaKeys();
        var older = SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded())
                .parsePublicKey()
                .getEncoded();

        assertThat(SignatureKeys.parse(older)).isEqualTo(keys.getPublic());
    }

    private static KeyPair rsaKeys() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private static Signer signer(BundleRecipe recipe) throws Exception {
        return new Keyless(recipe.trustRoot()).signer(SigstoreBundle.read(recipe.bundle(), KeylessRecipe.DIGEST));
    }

    /** Signs again: ECDSA makes another signature, which is also valid. */
    private static byte[] secondSignature(BundleRecipe recipe) {
        return SigstoreFixture.sign(
                recipe.signer.keys(), SigstoreBundle.preAuthenticationEncoding(BundleRecipe.IN_TOTO, recipe.statement));
    }

    private static byte[] lateStamp(BundleRecipe recipe) {
        var stamper = SIGSTORE.stamper(SIGSTORE.now, SIGSTORE.now.plus(Duration.ofDays(1)));
        var trusted = recipe.trust;
        recipe.trust = trusted.andThen(root -> addAuthority(root, stamper));
        return SIGSTORE.timestamp(recipe.signature, stamper, SIGSTORE.now.plus(Duration.ofHours(2)), List.of());
    }

    private static void addAuthority(ObjectNode root, TestCa.Identity stamper) {
        var authority = root.withArray("/timestampAuthorities").addObject();
        authority.putObject("validFor").put("start", "2020-01-01T00:00:00Z");
        authority
                .putObject("certChain")
                .putArray("certificates")
                .add(BundleRecipe.raw(stamper.certificate()))
                .add(BundleRecipe.raw(SIGSTORE.stampers.certificate()));
    }

    private static void addLog(ObjectNode root, byte[] key) {
        var log = root.withArray("/tlogs").insertObject(0);
        log.putObject("logId").put("keyId", base64(new byte[32]));
        log.putObject("publicKey")
                .put("rawBytes", base64(key))
                .putObject("validFor")
                .put("start", "2020-01-01T00:00:00Z");
    }

    private static ObjectNode validity(JsonNode owner) {
        return (ObjectNode) owner.get("validFor");
    }

    private static ObjectNode proof(ObjectNode bundle) {
        return (ObjectNode) logEntry(bundle).get("inclusionProof");
    }

    private static void changeHash(ObjectNode bundle) {
        var hashes = proof(bundle).withArray("/hashes");
        var first = Base64.getDecoder().decode(hashes.get(0).asText());
        hashes.set(0, base64(withChangedBit(first)));
    }

    private static JsonNode entryOf(BundleRecipe recipe) {
        try {
            return logEntry((ObjectNode) new ObjectMapper().readTree(recipe.bundle()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String withOtherHint(String lines) {
        var start = lines.lastIndexOf(' ') + 1;
        var bytes = Base64.getDecoder().decode(lines.substring(start).strip());
        bytes[0] ^= 1;
        return lines.substring(0, start) + base64(bytes) + "\n";
    }

    private static String line(String text, int index, String replacement) {
        var lines = text.split("\n", -1);
        lines[index] = replacement;
        return String.join("\n", lines);
    }

    private static String without(String text, int index) {
        var lines = new ArrayList<>(List.of(text.split("\n", -1)));
        lines.remove(index);
        return String.join("\n", lines);
    }
}
