package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.EngineLimits;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SerialisedModule;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.binary.ModuleOutline;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The Wasmtime engine. It has two native engines with one configuration. Nearly every module runs in the pool, whose slots make a fresh
 * instance cheap. The rare module that does not fit a slot runs in the other engine, which allocates on demand.
 */
public final class WasmtimeEngine implements WasmEngine {

    /** The version of the struct layouts in {@link Layouts}; the library file is pinned to it by hash. */
    public static final String VERSION = "50.0.1";

    private final NativeLibrary library;
    private final Wasmtime wasmtime;
    private final WasmtimeFailures failures;
    private final String fingerprint;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memoryName;
    private final MemorySegment trapMessage;
    private final MemorySegment stopMessage;
    private final MemorySegment epochCallback;

    /** The native engines, in the order in which a module is tried. */
    private final List<MemorySegment> engines;

    private final EpochTicker ticker;
    private final MemoryBudget guestMemory;

    private WasmtimeEngine(NativeLibrary library, EngineLimits limits, List<MemorySegment> configurations) {
        this.library = library;
        this.guestMemory = limits.guestMemory();
        this.wasmtime = new Wasmtime(library);
        this.failures = new WasmtimeFailures(library);
        this.fingerprint = EngineFingerprint.of(VERSION, EngineConfig.description());
        this.memoryName = Layouts.utf8(arena, "memory");
        this.trapMessage = Layouts.utf8(arena, "ended by the host");
        this.stopMessage = arena.allocateFrom("deadline exceeded");
        this.epochCallback = epochStub();
        this.engines = configurations.stream()
                .map(configuration -> library.pointer("wasm_engine_new_with_config", configuration))
                .toList();
        this.ticker = new EpochTicker(wasmtime, engines);
    }

    /**
     * Loads the library and starts the engine with its ticker.
     *
     * @throws IllegalArgumentException when the file cannot be loaded or is not Wasmtime
     */
    public static WasmtimeEngine load(Path file, EngineLimits limits) {
        var library = new NativeLibrary(file);
        return started(new WasmtimeEngine(
                library, limits, List.of(EngineConfig.pooling(library, limits), EngineConfig.onDemand(library))));
    }

    /**
     * Loads the library without the pool of instance slots. The pool commits gigabytes of tables, which a process with a
     * limit on its data cannot do. Compiled modules are the same: this engine has the same fingerprint.
     *
     * @throws IllegalArgumentException when the file cannot be loaded or is not Wasmtime
     */
    public static WasmtimeEngine loadWithoutPool(Path file, EngineLimits limits) {
        var library = new NativeLibrary(file);
        return started(new WasmtimeEngine(library, limits, List.of(EngineConfig.onDemand(library))));
    }

    private static WasmtimeEngine started(WasmtimeEngine engine) {
        engine.ticker.start();
        return engine;
    }

    @Override
    public String name() {
        return "wasmtime " + VERSION;
    }

    @Override
    public String fingerprint() {
        return fingerprint;
    }

    @Override
    public CompiledModule compile(byte[] wasm) {
        return make("wasmtime_module_new", wasm, () -> ModuleOutline.of(wasm));
    }

    @Override
    public void validate(byte[] wasm) {
        try (var confined = Arena.ofConfined()) {
            var copy = confined.allocateFrom(ValueLayout.JAVA_BYTE, wasm);
            var error = library.pointer("wasmtime_module_validate", engines.getLast(), copy, (long) wasm.length);
            if (error.address() != 0) {
                throw new InvalidModuleException(failures.consumeError(error));
            }
        }
        ModuleOutline.of(wasm);
    }

    @Override
    public MemoryBudget guestMemory() {
        return guestMemory;
    }

    @Override
    public CompiledModule load(byte[] serialised) {
        var image = ByteBuffer.wrap(SerialisedModule.open(fingerprint, serialised));
        var length = image.remaining() < Integer.BYTES ? -1 : image.getInt();
        if (length < 0 || length > image.remaining()) {
            throw new InvalidModuleException("the serialised module is truncated");
        }
        var outline = new byte[length];
        image.get(outline);
        var code = new byte[image.remaining()];
        image.get(code);
        return make("wasmtime_module_deserialize", code, () -> ModuleOutline.of(outline));
    }

    @Override
    public void close() {
        ticker.stop();
        engines.forEach(engine -> library.run("wasm_engine_delete", engine));
        arena.close();
    }

    /** Encodes length of the outline, outline, native code. */
    byte[] seal(ModuleOutline outline, byte[] code) {
        var types = outline.bytes();
        return SerialisedModule.seal(
                fingerprint,
                ByteBuffer.allocate(Integer.BYTES + types.length + code.length)
                        .putInt(types.length)
                        .put(types)
                        .put(code)
                        .array());
    }

    NativeLibrary library() {
        return library;
    }

    Wasmtime wasmtime() {
        return wasmtime;
    }

    WasmtimeFailures failures() {
        return failures;
    }

    EpochTicker ticker() {
        return ticker;
    }

    MemorySegment memoryName() {
        return memoryName;
    }

    MemorySegment trapMessage() {
        return trapMessage;
    }

    MemorySegment epochCallback() {
        return epochCallback;
    }

    private CompiledModule make(String function, byte[] bytes, Supplier<ModuleOutline> outline) {
        try (var confined = Arena.ofConfined()) {
            var copy = confined.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            var module = Layouts.pointer(confined);
            for (var engine : engines) {
                var error = library.pointer(function, engine, copy, (long) bytes.length, module);
                if (error.address() == 0) {
                    return own(engine, module.get(ValueLayout.ADDRESS, 0), outline);
                }
                var message = failures.consumeError(error);
                if (engine.equals(engines.getLast())) {
                    throw new InvalidModuleException(message);
                }
            }
        }
        throw new AssertionError("one of the engines has answered");
    }

    private CompiledModule own(MemorySegment engine, MemorySegment module, Supplier<ModuleOutline> outline) {
        try {
            return new WasmtimeModule(this, engine, module, outline.get());
        } catch (InvalidModuleException unknownTypes) {
            library.run("wasmtime_module_delete", module);
            throw unknownTypes;
        }
    }

    /** A callback for {@code wasmtime_store_epoch_deadline_callback}, shared by all stores. */
    private MemorySegment epochStub() {
        try {
            var handle = MethodHandles.lookup()
                    .bind(
                            this,
                            "atEpochDeadline",
                            MethodType.methodType(long.class, long.class, long.class, long.class, long.class));
            return Linker.nativeLinker().upcallStub(handle, Calls.CALLBACK, arena);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("WasmtimeEngine.atEpochDeadline", impossible);
        }
    }

    /** Called from native code, on the guest's thread. Must not throw. */
    @SuppressWarnings({"unused", "UnusedMethod", "UnusedVariable"})
    private long atEpochDeadline(long context, long data, long delta, long kind) {
        MemorySegment.ofAddress(kind)
                .reinterpret(1)
                .set(ValueLayout.JAVA_BYTE, 0, (byte) 0); // continue at once, do not yield
        var ticks = MemorySegment.ofAddress(delta).reinterpret(Long.BYTES);
        return GuestThread.current()
                .running()
                .atEpochDeadline(ticks, stopMessage)
                .address();
    }
}
