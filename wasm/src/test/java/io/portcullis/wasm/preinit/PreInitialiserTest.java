package io.portcullis.wasm.preinit;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.preinit.PreInitialised.Initialised;
import io.portcullis.wasm.preinit.PreInitialised.Unchanged;
import io.portcullis.wasm.testing.Guests;
import io.portcullis.wasm.testing.WapcCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a pre-initialised module behaves like the original, and that unsupported modules stay unchanged. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PreInitialiserTest {

    private static final String REVIEW = """
            {"request":{"uid":"1","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE",\
            "userInfo":{},"resource":{"group":"","version":"v1","resource":"pods"},"object":{"apiVersion":"v1","kind":"Pod",\
            "metadata":{"name":"p"},"spec":{"containers":[{"name":"c","securityContext":{"privileged":true}}]}}},"settings":{}}""";

    private final WasmEngine engine = WasmEngines.best();

    /** All waPC guests. Other kinds of guests have other start-ups, which their own tests cover. */
    static Stream<Path> corpus() throws IOException {
        try (var files = Files.walk(Path.of("..", "policies"))) {
            return files.filter(file -> file.toString().endsWith(".wasm") && isWapc(file)).sorted().toList().stream();
        }
    }

    private static boolean isWapc(Path guest) {
        try {
            return new String(Files.readAllBytes(guest), StandardCharsets.ISO_8859_1).contains("__guest_call");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void everyGuestOfTheCorpusAnswersTheSameWithAndWithout(Path guest) throws IOException {
        var original = Files.readAllBytes(guest);
        var prepared = prepare(original);

        if (guest.endsWith("policy.wasm")) {
            assertThat(prepared).isInstanceOf(Initialised.class);
        }
        // Endless guests run until their deadline, so it is short. On a busy machine other guests may reach it too.
        var soon = Duration.ofMillis(200);
        if (!answers(prepared.wasm(), soon).equals(answers(original, soon))) {
            var late = Duration.ofSeconds(30);
            assertThat(answers(prepared.wasm(), late)).isEqualTo(answers(original, late));
        }
    }

    @Test
    void preservesMemoryGlobalsAndSize() {
        var original = Guests.module("start-up");
        var prepared = prepare(original);

        assertThat(prepared).isInstanceOf(Initialised.class);
        assertThat(answer(prepared.wasm(), "x", ""))
                .isEqualTo(answer(original, "x", ""))
                .startsWith("1 Static");
        try (var module = engine.compile(prepared.wasm())) {
            assertThat(module.exports("_start")).isFalse();
            assertThat(module.exports("wapc_init")).isFalse();
            assertThat(module.exports().stream()
                            .filter(export -> export.name().equals("memory"))
                            .map(ExportType::type))
                    .containsExactly(new ExternType.Memory(4, OptionalLong.of(16)));
            assertThat(module.exports()).noneMatch(export -> export.name().startsWith("portcullis"));
        }
    }

    @ParameterizedTest
    @CsvSource({"start-up, true", "imported-memory, true", "values, false"})
    void knowsWhetherAModuleDoesAnythingByItself(String guest, boolean expected) {
        assertThat(PreInitialiser.hasStartUp(Guests.module(guest), Set.of("_start", "_initialize")))
                .isEqualTo(expected);
    }

    @Test
    void assumesAStartUpForUnreadableBytes() {
        assertThat(PreInitialiser.hasStartUp(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0, 1, 99}, Set.of()))
                .isTrue();
    }

    @Test
    void changesNothingWhenPreInitialisedTwice() {
        var once = prepare(Guests.module("start-up")).wasm();

        assertThat(HexFormat.of().formatHex(prepare(once).wasm()))
                .isEqualTo(HexFormat.of().formatHex(once));
    }

    @Test
    void keepsCustomSections() {
        var metadata = "io.kubewarden.metadata".getBytes(StandardCharsets.UTF_8);
        var prepared = prepare(Guests.misbehaving("exit-zero-in-start"));

        assertThat(prepared).isInstanceOf(Initialised.class);
        assertThat(prepared.wasm()).containsSequence(metadata);
    }

    @Test
    void turnsAnImportedMemoryIntoADefinedOne() {
        var imports = HostImports.builder()
                .memory("env", "memory", 5, OptionalLong.empty())
                .function("env", "note", FunctionType.i32s(1, 0), (_, _) -> 0)
                .build();
        var initialisation = new Initialisation(
                imports,
                (name, _) -> name.name().equals("note"),
                this,
                Set.of("poke"),
                guest -> guest.call("poke", 99));

        var prepared = new PreInitialiser(engine, SizeLimits.DEFAULT)
                .prepare(Guests.module("imported-memory"), initialisation, Duration.ofSeconds(5));

        assertThat(prepared).isInstanceOf(Initialised.class);
        try (var module = engine.compile(prepared.wasm());
                var linked = module.link(HostImports.builder()
                        .function("env", "note", FunctionType.i32s(1, 0), (_, _) -> 0)
                        .build());
                var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
            assertThat(module.exports("poke")).isFalse();
            assertThat(instance.call("answer")).containsExactly(99);
            assertThat(instance.call("boots")).containsExactly(1);
            assertThat(instance.memory().size()).isEqualTo(5 << 16);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "start-up-random, wasi_snapshot_preview1::random_get",
        "start-up-table, TABLE_SET",
        "start-up-passive, passive",
        "start-up-reference, no number",
        "many-tables, exactly one memory",
        "simd, exactly one memory",
    })
    void whatASnapshotCannotHoldIsLeftAloneWithTheReason(String guest, String reason) {
        var wasm = Guests.module(guest);

        assertThat(prepare(wasm)).isInstanceOfSatisfying(Unchanged.class, unchanged -> {
            assertThat(unchanged.reason()).contains(reason);
            assertThat(unchanged.wasm()).isSameAs(wasm);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "trap-in-start-section, unreachable",
        "trap-in-start, unreachable",
        "trap-in-wapc-init, unreachable",
        "exit-three-in-start, code 3",
        "endless-init, deadline",
        "memory-minimum, memory",
        "no-memory, does not export its memory",
        "unknown-import, __launch_missiles",
    })
    void aStartUpThatFailsIsLeftToFailInEveryInstance(String guest, String reason) {
        assertThat(prepare(Guests.misbehaving(guest)))
                .isInstanceOfSatisfying(
                        Unchanged.class,
                        unchanged -> assertThat(unchanged.reason()).contains(reason));
    }

    @Test
    void leavesBrokenBytesUnchanged() {
        var whole = Guests.module("start-up");

        for (var length = 0; length < whole.length; length += 7) {
            assertThat(prepare(Arrays.copyOf(whole, length))).isNotNull();
        }
        assertThat(prepare(new byte[0])).isInstanceOf(Unchanged.class);
    }

    private PreInitialised prepare(byte[] wasm) {
        return new PreInitialiser(engine, SizeLimits.DEFAULT)
                .prepare(
                        wasm,
                        Initialisation.wapc(WapcCall.imports(), new WapcCall("none", "")),
                        Duration.ofMillis(300));
    }

    private String answer(byte[] wasm, String operation, String payload) {
        try (var module = engine.compile(wasm);
                var linked = module.link(WapcCall.imports())) {
            return new WapcCall(operation, payload).startAndRun(linked, Deadline.NONE);
        }
    }

    /** Returns the results of each operation and of an unknown one. */
    private Map<String, String> answers(byte[] wasm, Duration limit) {
        try (var module = engine.compile(wasm);
                var linked = module.link(WapcCall.imports())) {
            var answers = new TreeMap<String, String>();
            for (var operation : List.of("protocol_version", "validate_settings", "validate", "nonsense")) {
                var call = new WapcCall(operation, operation.equals("validate") ? REVIEW : "{}");
                var answer = call.startAndRun(linked, Deadline.after(limit));
                answers.put(operation, answer.length() > 10_000 ? answer.length() + " characters" : answer);
            }
            return answers;
        } catch (LinkException failure) {
            return Map.of("link", String.valueOf(failure.getMessage()));
        }
    }

    @AfterAll
    void close() {
        engine.close();
    }
}
