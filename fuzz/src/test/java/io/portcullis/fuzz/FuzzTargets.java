package io.portcullis.fuzz;

import io.portcullis.api.der.DerFuzz;
import io.portcullis.api.policies.PoliciesFileFuzz;
import io.portcullis.api.yaml.YamlDocumentsFuzz;
import io.portcullis.artifacts.http.ResponseHeadFuzz;
import io.portcullis.artifacts.oci.ChallengeFuzz;
import io.portcullis.artifacts.oci.ManifestFuzz;
import io.portcullis.artifacts.oci.credentials.DockerConfigFuzz;
import io.portcullis.artifacts.source.AllowedNetworksFuzz;
import io.portcullis.artifacts.source.CertificatesFuzz;
import io.portcullis.artifacts.source.ImageReferenceFuzz;
import io.portcullis.artifacts.source.PolicyUriFuzz;
import io.portcullis.artifacts.tuf.TufMetadataFuzz;
import io.portcullis.artifacts.verify.VerificationConfigFuzz;
import io.portcullis.artifacts.verify.keyless.TimestampTokenFuzz;
import io.portcullis.artifacts.verify.signature.SigstoreBundleFuzz;
import io.portcullis.artifacts.verify.signature.SimpleSigningFuzz;
import io.portcullis.artifacts.verify.trust.SignatureKeysFuzz;
import io.portcullis.artifacts.verify.trust.TrustRootFuzz;
import io.portcullis.evaluator.group.expression.GroupExpressionFuzz;
import io.portcullis.evaluator.host.session.SessionFuzz;
import io.portcullis.evaluator.json.JsonScannerFuzz;
import io.portcullis.evaluator.json.JsonTreeFuzz;
import io.portcullis.evaluator.metadata.MetadataFuzz;
import io.portcullis.evaluator.rego.builtin.registry.BuiltinsFuzz;
import io.portcullis.evaluator.rego.builtin.registry.EncodingBuiltinsFuzz;
import io.portcullis.evaluator.rego.builtin.registry.FormatBuiltinsFuzz;
import io.portcullis.evaluator.rego.builtin.registry.RegexBuiltinsFuzz;
import io.portcullis.evaluator.rego.builtin.registry.TimeBuiltinsFuzz;
import io.portcullis.evaluator.rego.value.ValueParserFuzz;
import io.portcullis.evaluator.review.JsonPatchFuzz;
import io.portcullis.evaluator.review.ReviewsFuzz;
import io.portcullis.evaluator.runtime.GuestAnswersFuzz;
import io.portcullis.kwctl.metadata.EditableModuleFuzz;
import io.portcullis.kwctl.run.PatchedObjectFuzz;
import io.portcullis.process.cli.FlagsFuzz;
import io.portcullis.process.http.HttpAnswerFuzz;
import io.portcullis.process.tls.PemFuzz;
import io.portcullis.wasm.binary.ModuleOutlineFuzz;
import io.portcullis.wasm.preinit.PreInitialiserFuzz;
import java.util.List;
import java.util.Optional;

/** Lists all fuzz targets. A target that is not listed is neither replayed nor fuzzed; a test detects it. */
final class FuzzTargets {

    /** The code that runs for one input. Every exception is a finding. */
    @FunctionalInterface
    interface Body {
        void run(byte[] input) throws Exception;
    }

    /**
     * One target.
     *
     * @param type the class whose method {@code fuzzerTestOneInput} Jazzer calls
     */
    record Target(Class<?> type, Body body) {

        /** Returns the name, such as {@code ImageReference}. It is also the directory of the corpus and must be unique. */
        String name() {
            return type.getSimpleName().replaceFirst("Fuzz$", "");
        }
    }

    static final List<Target> ALL = List.of(
            new Target(AllowedNetworksFuzz.class, AllowedNetworksFuzz::fuzzerTestOneInput),
            new Target(BuiltinsFuzz.class, BuiltinsFuzz::fuzzerTestOneInput),
            new Target(CertificatesFuzz.class, CertificatesFuzz::fuzzerTestOneInput),
            new Target(ChallengeFuzz.class, ChallengeFuzz::fuzzerTestOneInput),
            new Target(DerFuzz.class, DerFuzz::fuzzerTestOneInput),
            new Target(DockerConfigFuzz.class, DockerConfigFuzz::fuzzerTestOneInput),
            new Target(EncodingBuiltinsFuzz.class, EncodingBuiltinsFuzz::fuzzerTestOneInput),
            new Target(FlagsFuzz.class, FlagsFuzz::fuzzerTestOneInput),
            new Target(FormatBuiltinsFuzz.class, FormatBuiltinsFuzz::fuzzerTestOneInput),
            new Target(GroupExpressionFuzz.class, GroupExpressionFuzz::fuzzerTestOneInput),
            new Target(GuestAnswersFuzz.class, GuestAnswersFuzz::fuzzerTestOneInput),
            new Target(HttpAnswerFuzz.class, HttpAnswerFuzz::fuzzerTestOneInput),
            new Target(ImageReferenceFuzz.class, ImageReferenceFuzz::fuzzerTestOneInput),
            new Target(JsonPatchFuzz.class, JsonPatchFuzz::fuzzerTestOneInput),
            new Target(JsonScannerFuzz.class, JsonScannerFuzz::fuzzerTestOneInput),
            new Target(JsonTreeFuzz.class, JsonTreeFuzz::fuzzerTestOneInput),
            new Target(ManifestFuzz.class, ManifestFuzz::fuzzerTestOneInput),
            new Target(MetadataFuzz.class, MetadataFuzz::fuzzerTestOneInput),
            new Target(EditableModuleFuzz.class, EditableModuleFuzz::fuzzerTestOneInput),
            new Target(ModuleOutlineFuzz.class, ModuleOutlineFuzz::fuzzerTestOneInput),
            new Target(PatchedObjectFuzz.class, PatchedObjectFuzz::fuzzerTestOneInput),
            new Target(PemFuzz.class, PemFuzz::fuzzerTestOneInput),
            new Target(PoliciesFileFuzz.class, PoliciesFileFuzz::fuzzerTestOneInput),
            new Target(PolicyUriFuzz.class, PolicyUriFuzz::fuzzerTestOneInput),
            new Target(PreInitialiserFuzz.class, PreInitialiserFuzz::fuzzerTestOneInput),
            new Target(RegexBuiltinsFuzz.class, RegexBuiltinsFuzz::fuzzerTestOneInput),
            new Target(ResponseHeadFuzz.class, ResponseHeadFuzz::fuzzerTestOneInput),
            new Target(ReviewsFuzz.class, ReviewsFuzz::fuzzerTestOneInput),
            new Target(SessionFuzz.class, SessionFuzz::fuzzerTestOneInput),
            new Target(SignatureKeysFuzz.class, SignatureKeysFuzz::fuzzerTestOneInput),
            new Target(SigstoreBundleFuzz.class, SigstoreBundleFuzz::fuzzerTestOneInput),
            new Target(SimpleSigningFuzz.class, SimpleSigningFuzz::fuzzerTestOneInput),
            new Target(TimeBuiltinsFuzz.class, TimeBuiltinsFuzz::fuzzerTestOneInput),
            new Target(TimestampTokenFuzz.class, TimestampTokenFuzz::fuzzerTestOneInput),
            new Target(TrustRootFuzz.class, TrustRootFuzz::fuzzerTestOneInput),
            new Target(TufMetadataFuzz.class, TufMetadataFuzz::fuzzerTestOneInput),
            new Target(ValueParserFuzz.class, ValueParserFuzz::fuzzerTestOneInput),
            new Target(VerificationConfigFuzz.class, VerificationConfigFuzz::fuzzerTestOneInput),
            new Target(YamlDocumentsFuzz.class, YamlDocumentsFuzz::fuzzerTestOneInput));

    private FuzzTargets() {}

    static Optional<Target> named(String name) {
        return ALL.stream().filter(target -> target.name().equals(name)).findFirst();
    }
}
