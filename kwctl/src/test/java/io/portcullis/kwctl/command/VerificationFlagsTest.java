package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The flags for signature verification. */
class VerificationFlagsTest {

    @TempDir
    Path directory;

    record Wrong(String name, List<String> flags, String message) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Wrong> wrongFlags() {
        return List.of(
                new Wrong("nothing demanded", List.of(), "could not retrieve sigstore options"),
                new Wrong(
                        "only annotations",
                        List.of("-a", "a=b"),
                        "Error: Intending to verify annotations, but no verification keys, OIDC issuer or GitHub owner were passed\n"),
                new Wrong("repository without owner", List.of("--github-repo", "r"), "repository owner is missing"),
                new Wrong(
                        "email without issuer",
                        List.of("--cert-email", "e"),
                        "email and OIDC issuer must be given together"),
                new Wrong(
                        "flags and file",
                        List.of("--github-owner", "o", "--verification-config-path", "c.yml"),
                        "cannot be used in conjunction with other verification flags"),
                new Wrong(
                        "missing key",
                        List.of("-k", "no.pub"),
                        "could not read file no.pub: No such file or directory (os error 2)"),
                new Wrong(
                        "unknown version",
                        List.of("--verification-config-path", "v2.yml"),
                        "Not a supported configuration version"));
    }

    @ParameterizedTest
    @MethodSource("wrongFlags")
    void rejectsInconsistentFlags(Wrong wrong) {
        SamplePolicies.write(directory.resolve("v2.yml"), "apiVersion: v2\n");
        var words = new ArrayList<>(List.of("verify", "localhost:1/x:v1"));
        words.addAll(wrong.flags());

        var result = new KwctlRunner(directory).run(words.toArray(String[]::new));

        assertThat(result.err()).contains(wrong.message());
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void verifiesOnlyImages() {
        var result = new KwctlRunner(directory).run("verify", "--github-owner", "o", "https://example.com/p.wasm");

        assertThat(result.err()).contains("only policies from registries are signed");
    }
}
