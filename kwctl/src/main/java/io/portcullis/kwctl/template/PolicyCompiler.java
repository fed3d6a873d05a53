package io.portcullis.kwctl.template;

import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Compiles a policy to WebAssembly with the toolchain of its language. All it makes is below {@code target}. */
public final class PolicyCompiler {

    private static final String RUST_TARGET = "wasm32-wasip1";
    /** A user of it has cargo build the standard library, so that no target needs to be installed. */
    private static final String BUILD_STANDARD_LIBRARY = "CARGO_UNSTABLE_BUILD_STD";

    private final Path target;
    private final CommandSession session;
    private final Toolchain toolchain;

    public PolicyCompiler(Path directory, CommandSession session) {
        this.target = directory.resolve("target");
        this.session = session;
        this.toolchain = new Toolchain(directory, session);
    }

    /** Returns the path of the module. */
    public Path compile(PolicyLanguage language) {
        try {
            Files.createDirectories(target);
            return switch (language) {
                case RUST -> compileRust();
                case GO -> compileGo();
                case REGO -> compileRego();
            };
        } catch (IOException e) {
            throw new CommandException("cannot write to " + target, e);
        }
    }

    private Path compileRust() throws IOException {
        var advice = "install Rust with rustup";
        var cargo = toolchain.program("cargo", advice);
        if (session.variable(BUILD_STANDARD_LIBRARY).isEmpty()) {
            requireRustTarget(toolchain.program("rustc", advice));
        }
        var modules = target.resolve(RUST_TARGET).resolve("release");
        // A module of an earlier name would stay.
        for (var module : modulesIn(modules)) {
            Files.delete(module);
        }
        toolchain.run(
                cargo, Map.of(), "build", "--release", "--target", RUST_TARGET, "--target-dir", target.toString());
        var built = modulesIn(modules);
        if (built.size() != 1) {
            throw new CommandException(
                    built.isEmpty()
                            ? "cargo built no module; does Cargo.toml have crate-type = [\"cdylib\"]?"
                            : "cargo built %d modules; run 'kwctl build' in the directory of one policy"
                                    .formatted(built.size()));
        }
        return built.getFirst();
    }

    private void requireRustTarget(Path rustc) {
        var libraries = toolchain
                .output(rustc, "--print", "target-libdir", "--target", RUST_TARGET)
                .strip();
        if (!Files.isDirectory(Path.of(libraries))) {
            throw new CommandException("the Rust target %s is missing; install it: rustup target add %s"
                    .formatted(RUST_TARGET, RUST_TARGET));
        }
    }

    private static List<Path> modulesIn(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".wasm")).toList();
        }
    }

    private Path compileGo() {
        var go = toolchain.program("go", "install Go 1.24 or newer");
        var module = target.resolve("policy.wasm");
        toolchain.run(
                go,
                Map.of("GOOS", "wasip1", "GOARCH", "wasm"),
                "build",
                "-trimpath",
                "-ldflags=-w",
                "-o",
                module.toString(),
                ".");
        return module;
    }

    private Path compileRego() {
        var opa = toolchain.program("opa", "install the Open Policy Agent");
        var tar = toolchain.program("tar", "it unpacks the bundle that opa makes");
        var bundle = target.resolve("bundle.tar.gz");
        var module = target.resolve("policy.wasm");
        toolchain.run(
                opa, Map.of(), "build", "-t", "wasm", "-e", "policy/main", "-o", bundle.toString(), "policy.rego");
        // To a file of our choice: the names in the bundle are absolute.
        toolchain.writeOutput(module, tar, "-xzPOf", bundle.toString(), "/policy.wasm");
        return module;
    }
}
