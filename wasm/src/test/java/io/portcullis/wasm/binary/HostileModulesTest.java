package io.portcullis.wasm.binary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.testing.Guests;
import io.portcullis.wasm.testing.ModuleBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that declared lengths and counts allocate no memory, even when they are huge. */
final class HostileModulesTest {

    private static final byte[] HUGE = new BinaryWriter().number(0xffff_ffffL).bytes();
    private static final byte[] LARGE = new BinaryWriter().number(0x7fff_ffffL).bytes();

    static Stream<byte[]> modulesWithHugeCounts() {
        var modules = new ArrayList<byte[]>();
        for (var count : List.of(HUGE, LARGE)) {
            IntStream.of(1, 2, 3, 4, 5, 6, 7, 9, 10, 11)
                    .mapToObj(section -> new ModuleBuilder().raw(section, count).build())
                    .forEach(modules::add);
            modules.add(section(1, ModuleBuilder.code(1, 0x60), count)); // parameters
            modules.add(section(1, ModuleBuilder.code(1, 0x60, 0), count)); // results
            modules.add(section(2, ModuleBuilder.code(1), count)); // module name
            modules.add(section(2, ModuleBuilder.code(1, 0), count)); // name
            modules.add(section(7, ModuleBuilder.code(1), count)); // name
            modules.add(section(9, ModuleBuilder.code(1, 0, 0x41, 0, 0x0b), count)); // functions of an element
            modules.add(section(9, ModuleBuilder.code(1, 5, 0x70), count)); // expressions of an element
            modules.add(section(10, ModuleBuilder.code(1), count)); // body
            modules.add(section(10, ModuleBuilder.code(1, 7), count)); // groups of locals
            modules.add(section(10, ModuleBuilder.code(1, 9, 0, 0x41, 0, 0x0e), count)); // br_table
            modules.add(section(10, ModuleBuilder.code(1, 8, 0, 0x1c), count)); // select
            modules.add(section(11, ModuleBuilder.code(1, 1), count)); // passive data
            modules.add(section(11, ModuleBuilder.code(1, 0, 0x41, 0, 0x0b), count)); // active data
        }
        return modules.stream();
    }

    private static byte[] section(int id, byte[] head, byte[] tail) {
        return new ModuleBuilder().raw(id, ModuleBuilder.concat(head, tail)).build();
    }

    @ParameterizedTest
    @MethodSource("modulesWithHugeCounts")
    void refusesCountsThatDoNotFitIntoTheModule(byte[] wasm) {
        assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> ModuleStructure.checked(wasm));
    }

    @Test
    void rejectsMoreEntriesThanAnyEngineAccepts() {
        var functions =
                new BinaryWriter().number(1_000_001).raw(new byte[1_000_001]).bytes();

        assertThatExceptionOfType(InvalidModuleException.class)
                .isThrownBy(() -> ModuleStructure.checked(
                        new ModuleBuilder().raw(3, functions).build()))
                .withMessageContaining("1000001")
                .withMessageContaining("1000000");
    }

    @Test
    void rejectsASectionLongerThanTheModule() {
        var wasm = ModuleBuilder.concat(new ModuleBuilder().build(), ModuleBuilder.code(0), HUGE);

        assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> ModuleStructure.checked(wasm));
        assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> ModuleOutline.of(wasm));
    }

    @Test
    void dropsCustomSectionsWithoutReadingThem() {
        var plain = new ModuleBuilder().build();
        var bomb = new ModuleBuilder()
                .custom("producers", HUGE)
                .custom("name", ModuleBuilder.concat(ModuleBuilder.code(1, 6), LARGE, ModuleBuilder.code(0)))
                .custom("name", ModuleBuilder.concat(ModuleBuilder.code(1), LARGE))
                .custom("io.kubewarden.metadata", new byte[1000])
                .build();

        assertThat(ModuleStructure.checked(bomb)).isEqualTo(plain);
    }

    @Test
    void keepsTheNamesOfFunctions() {
        var names = new BinaryWriter()
                .section(0, new BinaryWriter().name("module").bytes())
                .section(1, new BinaryWriter().number(1).number(0).name("main").bytes())
                .section(2, HUGE)
                .bytes();
        var kept = ModuleStructure.checked(
                new ModuleBuilder().custom("name", names).build());

        assertThat(kept)
                .isEqualTo(new ModuleBuilder()
                        .custom(
                                "name",
                                new BinaryWriter()
                                        .section(
                                                1,
                                                new BinaryWriter()
                                                        .number(1)
                                                        .number(0)
                                                        .name("main")
                                                        .bytes())
                                        .bytes())
                        .build());
    }

    @Test
    void reportsEveryInstructionOfAModule() {
        var seen = new ArrayList<Integer>();
        var code = ModuleBuilder.concat(
                ModuleBuilder.constant(7),
                ModuleBuilder.code(0x0e, 2, 0, 0, 0), // br_table
                ModuleBuilder.code(0x28, 2, 0), // i32.load
                ModuleBuilder.code(0x28, 0x42, 1, 0), // i32.load of another memory
                ModuleBuilder.code(0xfc, 11, 0), // memory.fill
                ModuleBuilder.code(0xfd, 12),
                new byte[16], // v128.const
                ModuleBuilder.code(0x02, 0x40, 0x0b), // block
                ModuleBuilder.code(0x44),
                new byte[8]); // f64.const
        var body = ModuleBuilder.concat(ModuleBuilder.code(0), code, ModuleBuilder.code(0x0b));
        Instructions.visit(
                new BinaryWriter().number(1).number(body.length).raw(body).bytes(), seen::add);

        assertThat(seen).containsExactly(0x41, 0x0e, 0x28, 0x28, 0xfc0b, 0xfd0c, 0x02, 0x0b, 0x44, 0x0b);
    }

    @Test
    void readsTheModulesOfTheRepository() {
        for (var name : List.of("start-up", "simd", "many-tables", "start-up-passive", "start-up-table", "values")) {
            assertThat(ModuleStructure.checked(Guests.module(name))).as(name).isNotEmpty();
        }
    }

    @Test
    void countsMemoriesAndTables() {
        var wasm = new ModuleBuilder().memory(3).memory(4).table(1).table(2).build();
        var outline = ModuleOutline.of(wasm);

        assertThat(outline.memories()).isEqualTo(2);
        assertThat(outline.tables()).isEqualTo(2);
        assertThat(outline.initialMemoryPages()).isEqualTo(7);
        assertThat(ModuleOutline.of(outline.bytes()).tables()).isEqualTo(2);
    }
}
