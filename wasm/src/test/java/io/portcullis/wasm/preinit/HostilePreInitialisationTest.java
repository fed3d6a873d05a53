package io.portcullis.wasm.preinit;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.binary.ModuleOutline;
import io.portcullis.wasm.binary.ModuleStructure;
import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.preinit.PreInitialised.Initialised;
import io.portcullis.wasm.preinit.PreInitialised.Unchanged;
import io.portcullis.wasm.testing.Guests;
import io.portcullis.wasm.testing.ModuleBuilder;
import io.portcullis.wasm.testing.WapcCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests that pre-initialisation returns a result for any bytes, and allocates a bounded amount of memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HostilePreInitialisationTest {

    private static final int MUTATIONS_PER_MODULE = 150;
    private static final int LARGEST_MUTATED = 64 << 10;

    private final WasmEngine engine = WasmEngines.best();

    @Test
    void skipsANameSectionThatDeclaresTwoGibibytes() {
        var length = new BinaryWriter().number(0x7fff_ffff).bytes();
        var bomb = startUp(1, new byte[0])
                .custom("name", ModuleBuilder.concat(ModuleBuilder.code(0), length))
                .build();

        assertThat(prepare(bomb)).isInstanceOf(Initialised.class);
    }

    @Test
    void snapshotsALargeZeroMemoryWithoutCost() {
        var write = ModuleBuilder.concat(
                ModuleBuilder.constant(200 << 20),
                ModuleBuilder.constant(0x01020304),
                ModuleBuilder.code(0x36, 2, 0)); // i32.store
        var prepared = prepare(startUp(4096, write).build());

        assertThat(prepared).isInstanceOf(Initialised.class);
        assertThat(prepared.wasm()).hasSizeLessThan(1000).containsSequence(4, 3, 2, 1);
    }

    @Test
    void leavesAModuleUnchangedWhenItsSnapshotIsTooLarge() {
        var fill = ModuleBuilder.concat(
                ModuleBuilder.constant(0),
                ModuleBuilder.constant(1),
                ModuleBuilder.constant((32 << 20) + 1),
                ModuleBuilder.code(0xfc, 11, 0)); // memory.fill
        var wasm = startUp(4096, fill).build();

        assertThat(prepare(wasm)).isInstanceOfSatisfying(Unchanged.class, unchanged -> {
            assertThat(unchanged.wasm()).isSameAs(wasm);
            assertThat(unchanged.reason()).contains("33554432");
        });
    }

    @Test
    void keepsBytesAtChunkBoundariesInASnapshot() {
        var fill = ModuleBuilder.concat(
                ModuleBuilder.constant((1 << 20) - 10_000),
                ModuleBuilder.constant(7),
                ModuleBuilder.constant(20_000),
                ModuleBuilder.code(0xfc, 11, 0));
        var prepared = prepare(startUp(64, fill).build());

        assertThat(prepared).isInstanceOf(Initialised.class);
        try (var module = engine.compile(prepared.wasm());
                var linked = module.link(WapcCall.imports());
                var instance = linked.instantiate(
                        SizeLimits.DEFAULT, io.portcullis.wasm.Deadline.NONE, new WapcCall("none", ""))) {
            var expected = new byte[20_002];
            Arrays.fill(expected, 1, 20_001, (byte) 7);
            assertThat(instance.memory().read((1 << 20) - 10_001, 20_002)).isEqualTo(expected);
        }
    }

    @Test
    void neverFailsOnMutatedModules() throws IOException {
        var seed = Long.getLong("hostile.seed", 20_261_117);
        var random = new Random(seed);
        for (var original : corpus()) {
            for (var round = 0; round < MUTATIONS_PER_MODULE; round++) {
                var wasm = mutated(original, random);
                var context = "seed %d, module of %d bytes, round %d".formatted(seed, original.length, round);
                if (prepare(wasm) instanceof Unchanged unchanged) {
                    assertThat(unchanged.reason()).as(context).doesNotStartWith(PreInitialiser.UNEXPECTED);
                }
                PreInitialiser.hasStartUp(wasm, Set.of("_start"));
                assertThat(refusal(() -> ModuleOutline.of(wasm))).as(context).isTrue();
                assertThat(refusal(() -> ModuleStructure.checked(wasm)))
                        .as(context)
                        .isTrue();
            }
        }
    }

    /** Whether the reader accepts the bytes or rejects them with an expected exception. */
    private static boolean refusal(Runnable reader) {
        try {
            reader.run();
            return true;
        } catch (io.portcullis.wasm.InvalidModuleException expected) {
            return true;
        }
    }

    private static List<byte[]> corpus() throws IOException {
        var modules = new ArrayList<byte[]>();
        for (var name : List.of("start-up", "imported-memory", "start-up-passive", "start-up-table", "values")) {
            modules.add(Guests.module(name));
        }
        try (var files = Files.walk(Path.of("..", "policies", "misbehaving"))) {
            for (var file : files.filter(path -> path.toString().endsWith(".wasm"))
                    .sorted()
                    .toList()) {
                if (Files.size(file) <= LARGEST_MUTATED && !file.toString().contains("endless")) {
                    modules.add(Files.readAllBytes(file));
                }
            }
        }
        return modules;
    }

    private static byte[] mutated(byte[] original, Random random) {
        var wasm = original.clone();
        for (var change = random.nextInt(1, 5); change > 0; change--) {
            var at = random.nextInt(8, wasm.length);
            switch (random.nextInt(5)) {
                case 0 -> wasm[at] = (byte) random.nextInt();
                case 1 -> wasm[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> wasm = Arrays.copyOf(wasm, at + 1);
                case 3 -> Arrays.fill(wasm, at, Math.min(wasm.length, at + 5), (byte) 0xff);
                default -> {
                    var part = Arrays.copyOfRange(wasm, at, Math.min(wasm.length, at + random.nextInt(1, 40)));
                    wasm = ModuleBuilder.concat(
                            Arrays.copyOf(wasm, at), part, Arrays.copyOfRange(wasm, at, wasm.length));
                }
            }
            if (wasm.length <= 9) {
                return wasm;
            }
        }
        return wasm;
    }

    /** A waPC guest with a start function. */
    private static ModuleBuilder startUp(long pages, byte[] instructions) {
        var module = new ModuleBuilder().memory(pages).export("memory", 2, 0);
        var start = module.function(module.type(List.of(), List.of()), instructions);
        return module.export("_start", 0, start);
    }

    private PreInitialised prepare(byte[] wasm) {
        return new PreInitialiser(engine, SizeLimits.DEFAULT)
                .prepare(
                        wasm,
                        Initialisation.wapc(WapcCall.imports(), new WapcCall("none", "")),
                        Duration.ofMillis(500));
    }

    @AfterAll
    void close() {
        engine.close();
    }
}
