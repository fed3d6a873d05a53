package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.requirement.Requirement;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/policy-users/write.md says about new policies, typed literally, with real toolchains. */
@NeedsTools("opa")
class BuildPolicyIT {

    private static final String HOME = System.getenv().getOrDefault("HOME", "/root");

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"go", "rego"})
    void theCommandsOfThePageWork(String language) throws IOException {
        var kwctl = new KwctlProcess(directory)
                .with("PATH", path() + ":" + System.getenv("PATH"))
                .with("GOCACHE", HOME + "/.cache/go-build");

        passesItsTests(kwctl, language);
    }

    /** Debian's Rust, because rustup cannot install targets everywhere. Without optimisation, which takes most of the time. */
    @Test
    void theCommandsOfThePageWorkForRust() throws IOException {
        assumeFalse(Requirement.fromEnvironment()
                .check(() -> ShellCommand.of(
                                "dpkg", "--status", "rustc-web", "cargo-web", "rust-web-src", "lld-22", "wasi-libc")
                        .run())
                .isDisabled());
        var kwctl = new KwctlProcess(directory)
                .with("HOME", HOME)
                .with("PATH", path() + ":/usr/bin:" + System.getenv("PATH"))
                .with("RUSTC", "/usr/bin/rustc")
                .with("RUSTC_BOOTSTRAP", "1")
                .with("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
                .with("CARGO_TARGET_WASM32_WASIP1_LINKER", "wasm-ld-22")
                .with("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", "-L native=/usr/lib/wasm32-wasi")
                .with("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
                .with("CARGO_PROFILE_RELEASE_LTO", "off")
                .with("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");

        passesItsTests(kwctl, "rust");
    }

    private static void passesItsTests(KwctlProcess kwctl, String language) throws IOException {
        var typed = String.join("\n", commandsOfThePage()).replace("kwctl new rust", "kwctl new " + language);

        var result = kwctl.shell(List.of("bash", "-e", "-c", typed));

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out())
                .contains(
                        "built policy.wasm",
                        "PASS  policy-test.yaml: a pod without the label is rejected",
                        ", 0 failed");
    }

    private static List<String> commandsOfThePage() throws IOException {
        var lines = Files.readAllLines(Checkout.current().root().resolve("docs/policy-users/write.md"));
        var start = lines.indexOf("```sh shown-by=kwctl:BuildPolicyIT#theCommandsOfThePageWork");
        var block = lines.subList(start + 1, lines.size());
        return block.subList(0, block.indexOf("```"));
    }

    private static String path() {
        return Path.of(KwctlProcess.LAUNCHER).getParent() + ":"
                + Tools.current().path("opa").getParent();
    }
}
