package io.portcullis.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.testing.Guests;
import io.portcullis.wasm.testing.ModuleBuilder;
import io.portcullis.wasm.testing.WapcCall;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests that every engine must pass, for valid and hostile guests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EngineContract {

    private static final HostImports VALUES = HostImports.builder()
            .function(
                    "host",
                    "add",
                    new FunctionType(
                            List.of(ValueType.I32, ValueType.I64, ValueType.F32, ValueType.F64),
                            List.of(ValueType.F64)),
                    (_, a) -> Double.doubleToRawLongBits((double) (int) a[0]
                            + a[1]
                            + Float.intBitsToFloat((int) a[2])
                            + Double.longBitsToDouble(a[3])))
            .function("host", "fail", FunctionType.i32s(1, 0), (_, a) -> switch ((int) a[0]) {
                case 0 -> throw new GuestExitException(7);
                case 1 -> throw TrapException.byHost("enough");
                case 2 -> throw new IllegalArgumentException("a bug");
                case 3 -> endlessly(0);
                default -> 0;
            })
            .function("host", "spin", FunctionType.i32s(0, 0), (caller, _) -> {
                while (!caller.deadline().hasPassed()) {
                    Thread.onSpinWait();
                }
                return 0;
            })
            .build();

    abstract WasmEngine engine();

    /** Another engine of the same kind. */
    abstract WasmEngine engine(EngineLimits limits);

    @Test
    void passesNumbersOfAllTypesUnchanged() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            assertThat(instance.call("i32", 3, 5)).containsExactly(0xffff_fffeL);
            assertThat(instance.call("i64", 3, 5)).containsExactly(-2);
            assertThat(Float.intBitsToFloat((int) instance.call("f32", floatBits(1.5f), floatBits(0.25f))[0]))
                    .isEqualTo(1.25f);
            assertThat(Double.longBitsToDouble(instance.call("f64", doubleBits(1.5), doubleBits(0.25))[0]))
                    .isEqualTo(1.25);
            assertThat(instance.call("swap", -1, -2)).containsExactly(-2, 0xffff_ffffL);
            assertThat(instance.call("nothing")).isEmpty();
        }
    }

    @Test
    void passesNumbersOfAllTypesToHostFunctions() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            var sum = instance.call("through_host", -1, 1L << 40, floatBits(0.5f), doubleBits(0.25));

            assertThat(Double.longBitsToDouble(sum[0])).isEqualTo((1L << 40) - 0.25);
        }
    }

    @Test
    void listsImportsAndExportsWithTheirTypes() {
        try (var module = engine().compile(Guests.module("values"))) {
            assertThat(module.imports())
                    .contains(new ImportType("host", "fail", new ExternType.Function(FunctionType.i32s(1, 0))));
            assertThat(module.exports())
                    .contains(
                            new ExportType("memory", new ExternType.Memory(1, OptionalLong.of(4))),
                            new ExportType("i32", new ExternType.Function(FunctionType.i32s(2, 1))));
            assertThat(module.exports("i64")).isTrue();
            assertThat(module.exports("i128")).isFalse();
        }
    }

    @Test
    void isolatesAFreshInstanceFromEarlierOnes() {
        try (var module = engine().compile(Guests.misbehaving("counter"));
                var linked = module.link(WapcCall.imports())) {
            for (var round = 0; round < 50; round++) {
                var call = new WapcCall("validate", "{}");
                try (var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, call)) {
                    call.run(instance);
                    assertThat(call.response()).contains("memory=0 global=0");
                    call.run(instance);
                    assertThat(call.response()).contains("memory=1 global=1");
                }
            }
        }
    }

    @Test
    void runsASerialisedModuleLikeTheOriginal() {
        byte[] serialised;
        try (var module = engine().compile(Guests.misbehaving("counter"))) {
            serialised = module.serialize();
        }
        var call = new WapcCall("validate", "{}");

        try (var module = engine().load(serialised);
                var linked = module.link(WapcCall.imports());
                var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, call)) {
            call.run(instance);
        }

        assertThat(call.response()).contains("memory=0 global=0");
    }

    @Test
    void rejectsForeignBytesOnLoad() {
        byte[] serialised;
        try (var module = engine().compile(Guests.misbehaving("counter"))) {
            serialised = module.serialize();
        }
        var truncated = java.util.Arrays.copyOf(serialised, serialised.length / 2);
        var relabelled = serialised.clone();
        relabelled[30] ^= 1;

        for (var bytes : List.of(new byte[0], new byte[100], Guests.misbehaving("counter"), truncated, relabelled)) {
            assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> engine().load(bytes));
        }
    }

    @Test
    void rejectsBytesThatAreNotAModule() {
        var truncated = java.util.Arrays.copyOf(Guests.misbehaving("counter"), 60);

        for (var bytes : List.of(
                new byte[0],
                new byte[] {0, 1, 2, 3},
                "<html>".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                truncated)) {
            assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> engine().compile(bytes));
        }
    }

    @Test
    void reportsTheNameOfAnUnknownImport() {
        try (var module = engine().compile(Guests.misbehaving("unknown-import"))) {
            assertThatExceptionOfType(LinkException.class)
                    .isThrownBy(() -> module.link(WapcCall.imports()))
                    .withMessageContaining("wapc::__launch_missiles");
        }
    }

    @Test
    void rejectsAnImportOfAnotherType() {
        var other = HostImports.builder()
                .include(VALUES)
                .function("host", "fail", FunctionType.i32s(2, 0), (_, _) -> 0)
                .build();

        try (var module = engine().compile(Guests.module("values"))) {
            assertThatExceptionOfType(LinkException.class)
                    .isThrownBy(() -> module.link(other))
                    .withMessageContaining("host::fail");
        }
    }

    @Test
    void failsCallsOfUnknownExportsOrWithWrongArguments() {
        try (var instance = instance(Guests.misbehaving("wrong-signature"), WapcCall.imports())) {
            assertThatExceptionOfType(LinkException.class).isThrownBy(() -> instance.call("absent"));
            assertThatExceptionOfType(LinkException.class).isThrownBy(() -> instance.call("memory"));
            assertThatExceptionOfType(LinkException.class)
                    .isThrownBy(() -> instance.call("__guest_call", 1, 2))
                    .withMessageContaining("takes 1 parameters");
        }
    }

    @Test
    void stopsAnEndlessLoopAtItsDeadlineAndNotBefore() {
        var call = new WapcCall("validate", "{}");

        try (var instance =
                instance(Guests.misbehaving("endless-loop"), WapcCall.imports(), Duration.ofMillis(100), call)) {
            assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> call.run(instance));
            assertThat(instance.deadline().hasPassed()).isTrue();
        }
    }

    @Test
    void endsTheGuestWhenAHostCallReturnsAfterTheDeadline() {
        try (var instance = instance(Guests.module("values"), VALUES, Duration.ofMillis(300), this)) {
            assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> instance.call("spin"));
            assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> instance.call("nothing"));
        }
    }

    @Test
    void instantiatesNothingAfterTheDeadline() {
        assertThatExceptionOfType(DeadlineExceededException.class)
                .isThrownBy(() -> instance(Guests.module("values"), VALUES, Duration.ZERO, this));
    }

    @Test
    void growsMemoryUpToTheLimit() {
        var call = new WapcCall("validate", "{}");
        var limits = new SizeLimits(32L << 20, 1_000);

        try (var module = engine().compile(Guests.misbehaving("memory-bomb"));
                var linked = module.link(WapcCall.imports());
                var instance = linked.instantiate(limits, Deadline.NONE, call)) {
            assertThat(call.run(instance)).isEqualTo(1);
            assertThat(instance.memory().size()).isBetween(28L << 20, 32L << 20);
        }
    }

    @Test
    void rejectsAGuestThatStartsAboveTheLimit() {
        assertTrap(Guests.misbehaving("memory-minimum"), TrapException.Kind.LIMIT, "memory");
    }

    @Test
    void trapsOnDeepRecursion() {
        assertTrap(Guests.misbehaving("deep-recursion"), TrapException.Kind.STACK_OVERFLOW, "stack");
    }

    @Test
    void failsInstantiationWhenTheStartSectionTraps() {
        assertTrap(Guests.misbehaving("trap-in-start-section"), TrapException.Kind.UNREACHABLE, "unreachable");
    }

    @Test
    void reportsTheKindAndTheFunctionsOfATrap() {
        var trap = assertTrap(Guests.misbehaving("trap-in-validate"), TrapException.Kind.ARITHMETIC, "divide by zero");

        assertThat(trap.backtrace()).first().asString().contains("divide_by_zero");
    }

    @Test
    void trapsGuestsThatReadBeyondTheirMemory() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            assertTrapOf(() -> instance.call("load", 0x10000), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> instance.call("load", 0xffff_ffffL), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> instance.call("null_call"), TrapException.Kind.INDIRECT_CALL);
            assertThat(instance.call("load", 0)).containsExactly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pointer-request", "pointer-response", "pointer-host-call"})
    void trapsOnPointersOutOfRangeInHostCalls(String guest) {
        assertTrap(Guests.misbehaving(guest), TrapException.Kind.OUT_OF_BOUNDS, "out of bounds");
    }

    @Test
    void limitsHostAccessToTheMemory() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            var memory = instance.memory();
            var end = memory.size();
            memory.write(end - 3, new byte[] {9, 1, 2, 3, 9}, 1, 3);
            memory.writeLong(16, 0x1122334455667788L);

            assertThat(memory.read(end - 3, 3)).containsExactly(1, 2, 3);
            assertThat(memory.readInt(16)).isEqualTo(0x55667788);
            assertThat(memory.read(end, 0)).isEmpty();
            assertTrapOf(() -> memory.read(end, 1), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.read(0xffff_ffffL, 0xffff_ffffL), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.read(-1, 1), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.read(0, -1), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.read(Long.MAX_VALUE, Long.MAX_VALUE), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.write(end - 2, new byte[3]), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.readInt(end - 3), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.writeInt(end - 3, 1), TrapException.Kind.OUT_OF_BOUNDS);
            assertTrapOf(() -> memory.writeLong(end - 7, 1), TrapException.Kind.OUT_OF_BOUNDS);
        }
    }

    @Test
    void exposesMemoryThatTheGuestAdded() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            var memory = instance.memory();

            assertThat(instance.call("grow", 2)).containsExactly(1);
            memory.writeInt(0x20000, 42);

            assertThat(instance.call("load", 0x20000)).containsExactly(42);
            assertThat(memory.size()).isEqualTo(3 << 16);
            assertThat(instance.call("grow", 2)).containsExactly(0xffff_ffffL);
        }
    }

    @Test
    void passesExceptionsOfHostFunctionsToTheCaller() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            assertThatExceptionOfType(GuestExitException.class)
                    .isThrownBy(() -> instance.call("fail", 0))
                    .extracting(GuestExitException::code)
                    .isEqualTo(7);
            assertThatExceptionOfType(TrapException.class)
                    .isThrownBy(() -> instance.call("fail", 1))
                    .withMessage("enough");
            assertThatExceptionOfType(TrapException.class)
                    .isThrownBy(() -> instance.call("fail", 2))
                    .withCauseInstanceOf(IllegalArgumentException.class);
            assertThatExceptionOfType(TrapException.class)
                    .isThrownBy(() -> instance.call("fail", 3))
                    .withCauseInstanceOf(StackOverflowError.class);
            assertThat(instance.call("fail", 4)).isEmpty();
        }
    }

    @Test
    void supportsModulesThatImportTheirMemory() {
        var noted = new long[1];
        var imports = HostImports.builder()
                .memory("env", "memory", 5, OptionalLong.empty())
                .function("env", "note", FunctionType.i32s(1, 0), (caller, a) -> {
                    assertThat(caller.memory().size()).isEqualTo(5 << 16);
                    noted[0] = a[0];
                    return 0;
                })
                .build();

        try (var module = engine().compile(Guests.module("imported-memory"));
                var linked = module.link(imports)) {
            for (var round = 0; round < 3; round++) {
                try (var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
                    assertThat(noted[0]).isEqualTo(5);
                    assertThat(instance.call("boots")).containsExactly(1);
                    assertThat(instance.call("answer")).containsExactly(42);
                    assertThat(noted[0]).isEqualTo(42);
                    assertThat(instance.memory().readInt(8)).isEqualTo(42);
                    assertThat(instance.memory().size()).isEqualTo(5 << 16);
                    instance.call("poke", 7);
                    assertThat(instance.memory().readInt(8)).isEqualTo(7);
                }
            }
        }
    }

    @Test
    void countsAnImportedMemoryTowardsTheLimit() {
        var imports = HostImports.builder()
                .memory("env", "memory", 5, OptionalLong.empty())
                .function("env", "note", FunctionType.i32s(1, 0), (_, _) -> 0)
                .build();

        try (var module = engine().compile(Guests.module("imported-memory"));
                var linked = module.link(imports)) {
            assertTrapOf(
                    () -> linked.instantiate(new SizeLimits(4 << 16, 10), Deadline.NONE, this),
                    TrapException.Kind.LIMIT);
        }
    }

    @Test
    void failsToLinkAMemoryThatTheHostDoesNotProvide() {
        try (var module = engine().compile(Guests.module("imported-memory"))) {
            assertThatExceptionOfType(LinkException.class)
                    .isThrownBy(() -> module.link(HostImports.builder()
                            .function("env", "note", FunctionType.i32s(1, 0), (_, _) -> 0)
                            .build()))
                    .withMessageContaining("env::memory");
        }
    }

    @Test
    void hidesAMemoryThatIsNotExported() {
        var call = new WapcCall("validate", "{}");

        try (var instance = instance(Guests.misbehaving("no-memory"), WapcCall.imports(), call)) {
            assertThatExceptionOfType(TrapException.class).isThrownBy(() -> call.run(instance));
        }
    }

    @Test
    void receivesAHugeResponseCompletely() {
        var call = new WapcCall("validate", "{}");

        try (var instance = instance(Guests.misbehaving("huge-response"), WapcCall.imports(), call)) {
            call.run(instance);
        }

        assertThat(call.responseBytes()).hasSize(64 << 20);
    }

    @Test
    void supportsManyTablesAndReferences() {
        try (var instance =
                instance(Guests.module("many-tables"), HostImports.builder().build())) {
            assertThat(instance.call("one")).containsExactly(1);
            assertThatExceptionOfType(LinkException.class).isThrownBy(() -> instance.call("keep", 1));
        }
    }

    @Test
    void appliesTheMemoryLimitToAllMemoriesOfAnInstance() {
        var limits = new SizeLimits(8L << 20, 1_000);
        var builder = new ModuleBuilder();
        for (var memory = 0; memory < 4; memory++) {
            builder.memory(1);
        }
        var type = builder.type(List.of(ModuleBuilder.I32), List.of(ModuleBuilder.I32));
        for (var memory = 0; memory < 4; memory++) {
            var grow = builder.function(type, ModuleBuilder.code(0x20, 0, 0x40, memory));
            builder.export("grow" + memory, 0, grow);
        }

        try (var instance = limited(builder.build(), limits)) {
            for (var memory = 0; memory < 4; memory++) {
                assertThat(instance.call("grow" + memory, 31)).containsExactly(1);
                assertThat(instance.call("grow" + memory, 1)).containsExactly(0xffff_ffffL);
            }
        }
    }

    @Test
    void rejectsMemoriesThatTogetherStartAboveTheLimit() {
        var builder = new ModuleBuilder();
        for (var memory = 0; memory < 40; memory++) {
            builder.memory(1_000);
        }

        assertTrapOf(() -> limited(builder.build(), SizeLimits.DEFAULT).close(), TrapException.Kind.LIMIT);
    }

    @Test
    void rejectsTablesThatTogetherStartAboveTheLimit() {
        var builder = new ModuleBuilder();
        for (var table = 0; table < 40; table++) {
            builder.table(90_000);
        }

        assertTrapOf(() -> limited(builder.build(), SizeLimits.DEFAULT).close(), TrapException.Kind.LIMIT);
    }

    @Test
    void growsTablesUpToTheirCommonLimit() {
        var builder = new ModuleBuilder().table(0).table(0);
        var type = builder.type(List.of(ModuleBuilder.I32), List.of(ModuleBuilder.I32));
        for (var table = 0; table < 2; table++) {
            var grow = builder.function(type, ModuleBuilder.code(0xd0, 0x70, 0x20, 0, 0xfc, 15, table));
            builder.export("grow" + table, 0, grow);
        }

        try (var instance = limited(builder.build(), new SizeLimits(1 << 20, 1_000))) {
            for (var table = 0; table < 2; table++) {
                assertThat(instance.call("grow" + table, 501)).containsExactly(0xffff_ffffL);
                assertThat(instance.call("grow" + table, 500)).containsExactly(0);
                assertThat(instance.call("grow" + table, 1)).containsExactly(0xffff_ffffL);
            }
        }
    }

    @Test
    void stopsAnEndlessStartSectionAtTheDeadline() {
        var builder = new ModuleBuilder();
        builder.start(builder.function(builder.type(List.of(), List.of()), LOOP));

        assertThatExceptionOfType(DeadlineExceededException.class)
                .isThrownBy(
                        () -> instance(builder.build(), HostImports.builder().build(), Duration.ofMillis(100), this));
        assertNextGuestIsFine();
    }

    @Test
    void stopsAMemoryFillLoopAtTheDeadline() {
        var builder = new ModuleBuilder().memory(1_024).export("memory", 2, 0);
        var fill = ModuleBuilder.concat(
                ModuleBuilder.code(0x03, 0x40),
                ModuleBuilder.constant(0),
                ModuleBuilder.constant(1),
                ModuleBuilder.constant(64 << 20),
                ModuleBuilder.code(0xfc, 11, 0, 0x0c, 0, 0x0b));
        builder.export("run", 0, builder.function(builder.type(List.of(), List.of()), fill));

        assertStoppedInTime(builder.build(), HostImports.builder().build());
    }

    @Test
    void stopsGrowingMemoryAndTablesAtTheDeadline() {
        var builder = new ModuleBuilder().memory(1).table(1).export("memory", 2, 0);
        var grow = ModuleBuilder.code(
                0x03, 0x40, 0x41, 1, 0x40, 0, 0x1a, 0xd0, 0x70, 0x41, 1, 0xfc, 15, 0, 0x1a, 0x0c, 0, 0x0b);
        builder.export("run", 0, builder.function(builder.type(List.of(), List.of()), grow));

        assertStoppedInTime(builder.build(), HostImports.builder().build());
    }

    @Test
    void stopsHostCallsInALoopAtTheDeadline() {
        var calls = new long[1];
        var imports = HostImports.builder()
                .function("host", "call", FunctionType.i32s(0, 0), (_, _) -> calls[0]++)
                .build();
        var builder = new ModuleBuilder();
        var type = builder.type(List.of(), List.of());
        var call = builder.importFunction("host", "call", type);
        builder.export("run", 0, builder.function(type, ModuleBuilder.code(0x03, 0x40, 0x10, call, 0x0c, 0, 0x0b)));

        assertStoppedInTime(builder.build(), imports);
        assertThat(calls[0]).isPositive();
    }

    @Test
    void trapsOnRecursionThroughTheHost() {
        var imports = HostImports.builder()
                .function("host", "again", FunctionType.i32s(0, 0), (caller, _) -> {
                    caller.call("run");
                    return 0;
                })
                .build();
        var builder = new ModuleBuilder();
        var type = builder.type(List.of(), List.of());
        var again = builder.importFunction("host", "again", type);
        builder.export("run", 0, builder.function(type, ModuleBuilder.code(0x10, again)));

        try (var instance = instance(builder.build(), imports, Duration.ofSeconds(20), this)) {
            assertTrapOf(() -> instance.call("run"), TrapException.Kind.STACK_OVERFLOW);
            assertTrapOf(() -> instance.call("run"), TrapException.Kind.STACK_OVERFLOW);
        }
        assertNextGuestIsFine();
    }

    @Test
    void runsAModuleWithAHostileNameSection() {
        var length = new BinaryWriter().number(0x7fff_ffff).bytes();
        var builder = new ModuleBuilder();
        builder.export("run", 0, builder.function(builder.type(List.of(), List.of()), new byte[0]));
        for (var part : List.of(0, 1, 2)) {
            var names = ModuleBuilder.concat(ModuleBuilder.code(part), length);
            var counted = ModuleBuilder.concat(ModuleBuilder.code(part, 5), length);
            for (var content : List.of(names, counted)) {
                var wasm = builder.custom("name", content).build();
                try (var instance = instance(wasm, HostImports.builder().build())) {
                    assertThat(instance.call("run")).isEmpty();
                }
                engine().validate(wasm);
            }
        }
    }

    @Test
    void rejectsModulesWhoseCountsExceedTheirBytes() {
        var huge = new BinaryWriter().number(0x7fff_ffff).bytes();
        for (var section : List.of(1, 2, 3, 4, 5, 6, 7, 9, 10, 11)) {
            var wasm = new ModuleBuilder().raw(section, huge).build();

            assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> engine().compile(wasm));
            assertThatExceptionOfType(InvalidModuleException.class).isThrownBy(() -> engine().validate(wasm));
        }
    }

    @Test
    void countsTheMemoryOfInstancesUntilTheyAreClosed() {
        assertThat(engine().guestMemory().usedBytes()).isZero();
        try (var instance = instance(Guests.module("values"), VALUES)) {
            assertThat(engine().guestMemory().usedBytes()).isEqualTo(1 << 16);
            instance.call("grow", 2);
            instance.call("fail", 4);
            assertThat(engine().guestMemory().usedBytes()).isEqualTo(3 << 16);
        }
        assertThat(engine().guestMemory().usedBytes()).isZero();
        assertThatExceptionOfType(TrapException.class)
                .isThrownBy(() -> instance(Guests.misbehaving("trap-in-start-section"), WapcCall.imports()));
        assertThat(engine().guestMemory().usedBytes()).isZero();
    }

    @Test
    void endsAGuestThatExceedsTheBudgetAndRunsTheNextOne() {
        try (var engine = engine(new EngineLimits(4L << 20, 10, 2, 1 << 20))) {
            var imports = HostImports.builder()
                    .function("host", "call", FunctionType.i32s(0, 0), (_, _) -> 0)
                    .build();
            var builder = new ModuleBuilder().memory(1).export("memory", 2, 0);
            var type = builder.type(List.of(), List.of());
            var call = builder.importFunction("host", "call", type);
            var grow = ModuleBuilder.concat(ModuleBuilder.constant(100), ModuleBuilder.code(0x40, 0, 0x1a, 0x10, call));
            builder.export("run", 0, builder.function(type, grow));

            try (var module = engine.compile(builder.build());
                    var linked = module.link(imports);
                    var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
                assertThatExceptionOfType(MemoryBudgetExceededException.class)
                        .isThrownBy(() -> instance.call("run"))
                        .withMessageContaining("the memory of all guests (--guest-memory)")
                        .withMessageContaining(String.valueOf(4 << 20));
            }
            try (var module = engine.compile(Guests.module("values"));
                    var linked = module.link(VALUES);
                    var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
                assertThat(instance.call("nothing")).isEmpty();
            }
            assertThat(engine.guestMemory().usedBytes()).isZero();
            assertThat(engine.guestMemory().refused()).isEqualTo(1);
        }
    }

    @Test
    void rejectsAnInstanceBeyondTheBudgetAtItsDeadline() {
        try (var engine = engine(new EngineLimits(1L << 20, 10, 2, 1 << 20));
                var module = engine.compile(
                        new ModuleBuilder().memory(10).export("memory", 2, 0).build());
                var linked = module.link(HostImports.builder().build());
                var _ = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
            assertThatExceptionOfType(MemoryBudgetExceededException.class)
                    .isThrownBy(
                            () -> linked.instantiate(SizeLimits.DEFAULT, Deadline.after(Duration.ofMillis(50)), this));
        }
    }

    @Test
    void reservesTheLimitForAModuleThatHidesItsMemory() {
        var limits = new SizeLimits(2L << 20, 10);
        var hidden = new ModuleBuilder().memory(1).build();
        var several =
                new ModuleBuilder().memory(1).memory(1).export("memory", 2, 0).build();
        for (var wasm : List.of(hidden, several)) {
            try (var _ = limited(wasm, limits)) {
                assertThat(engine().guestMemory().usedBytes()).isEqualTo(2L << 20);
            }
        }
    }

    @Test
    void closesAModuleSafelyWhileItRuns() {
        var call = new WapcCall("validate", "{}");
        var module = engine().compile(Guests.misbehaving("counter"));
        var linked = module.link(WapcCall.imports());
        var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, call);

        module.close();
        linked.close();
        module.close();
        linked.close();

        assertThat(call.run(instance)).isEqualTo(1);
        assertThat(call.response()).contains("memory=0");
        instance.close();
        instance.close();
        assertThatThrownBy(() -> linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, call))
                .isInstanceOf(IllegalStateException.class);
        assertThatIllegalStateException().isThrownBy(() -> module.link(WapcCall.imports()));
        assertThatIllegalStateException().isThrownBy(() -> call.run(instance));
    }

    @Test
    void usesOnlyNameCharactersInTheFingerprint() {
        assertThat(engine().fingerprint())
                .matches("[A-Za-z0-9.-]+")
                .startsWith(engine().name().split(" ", -1)[0]);
    }

    /** An endless loop. */
    private static final byte[] LOOP = ModuleBuilder.code(0x03, 0x40, 0x0c, 0, 0x0b);

    private void assertStoppedInTime(byte[] wasm, HostImports imports) {
        try (var instance = instance(wasm, imports, Duration.ofMillis(200), this)) {
            assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> instance.call("run"));
        }
        assertNextGuestIsFine();
    }

    private void assertNextGuestIsFine() {
        try (var instance = instance(Guests.module("values"), VALUES)) {
            assertThat(instance.call("nothing")).isEmpty();
        }
    }

    private Instance limited(byte[] wasm, SizeLimits limits) {
        try (var module = engine().compile(wasm);
                var linked = module.link(HostImports.builder().build())) {
            return linked.instantiate(limits, Deadline.NONE, this);
        }
    }

    private Instance instance(byte[] wasm, HostImports imports) {
        return instance(wasm, imports, this);
    }

    private Instance instance(byte[] wasm, HostImports imports, Object state) {
        return instance(wasm, imports, Duration.ofHours(1), state);
    }

    private Instance instance(byte[] wasm, HostImports imports, Duration time, Object state) {
        try (var module = engine().compile(wasm);
                var linked = module.link(imports)) {
            return linked.instantiate(SizeLimits.DEFAULT, Deadline.after(time), state);
        }
    }

    private TrapException assertTrap(byte[] guest, TrapException.Kind kind, String message) {
        var call = new WapcCall("validate", "{}");
        var trap = assertTrapOf(
                () -> {
                    try (var instance = instance(guest, WapcCall.imports(), call)) {
                        call.run(instance);
                    }
                },
                kind);
        assertThat(trap).hasMessageContaining(message);
        assertThat(trap.getMessage()).matches("[^\\p{Cntrl}]*");
        return trap;
    }

    private static TrapException assertTrapOf(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable action, TrapException.Kind kind) {
        var trap = catchThrowableOfType(TrapException.class, action);
        assertThat(trap).isNotNull();
        assertThat(trap.kind()).as(trap.toString()).isEqualTo(kind);
        return trap;
    }

    private static long endlessly(int depth) {
        return depth < 0 ? 0 : endlessly(depth + 1) + 1;
    }

    private static long floatBits(float value) {
        return Float.floatToRawIntBits(value);
    }

    private static long doubleBits(double value) {
        return Double.doubleToRawLongBits(value);
    }
}
