package io.portcullis.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.testing.Guests;
import io.portcullis.wasm.testing.WapcCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

final class WasmtimeEngineTest extends EngineContract {

    private static final Path STATUS = Path.of("/proc/self/status");

    private final WasmEngine engine = WasmEngines.wasmtime();

    @Test
    void runsVectorInstructions() {
        try (var module = engine.compile(Guests.module("simd"));
                var linked = module.link(HostImports.builder().build());
                var instance = linked.instantiate(SizeLimits.DEFAULT, Deadline.NONE, this)) {
            assertThat(instance.call("lane")).containsExactly(3);
            assertThat(module.exports())
                    .contains(new ExportType("vector", new ExternType.Global(ValueType.V128, false)));
        }
    }

    @Test
    void leaksNoMemoryAfterFiveHundredModules() throws IOException {
        assumeThat(STATUS).exists();
        loadAndUnload(100);
        var before = residentKilobytes();

        loadAndUnload(500);

        assertThat(residentKilobytes() - before).isLessThan(20_000);
    }

    @Test
    void isolatesGuestsOnSeveralThreads() throws Exception {
        try (var module = engine.compile(Guests.misbehaving("counter"));
                var linked = module.link(WapcCall.imports());
                var threads = Executors.newFixedThreadPool(4)) {
            var tasks = new ArrayList<Callable<String>>();
            for (var index = 0; index < 2_000; index++) {
                tasks.add(() -> new WapcCall("validate", "{}").startAndRun(linked, Deadline.NONE));
            }

            for (Future<String> answer : threads.invokeAll(tasks)) {
                assertThat(answer.get()).contains("memory=0 global=0");
            }
        }
    }

    @Test
    void doesNotDelayOtherGuestsByAnEndlessGuest() throws Exception {
        try (var endless = engine.compile(Guests.misbehaving("endless-loop"));
                var counter = engine.compile(Guests.misbehaving("counter"));
                var linkedEndless = endless.link(WapcCall.imports());
                var linkedCounter = counter.link(WapcCall.imports());
                var threads = Executors.newSingleThreadExecutor()) {
            var stopped = threads.submit(() ->
                    new WapcCall("validate", "{}").startAndRun(linkedEndless, Deadline.after(Duration.ofMillis(300))));
            while (!stopped.isDone()) {
                assertThat(new WapcCall("validate", "{}").startAndRun(linkedCounter, Deadline.NONE))
                        .contains("memory=0 global=0");
            }

            assertThat(stopped.get()).contains(DeadlineExceededException.MESSAGE);
        }
    }

    private void loadAndUnload(int modules) {
        var image = serialised();
        for (var index = 0; index < modules; index++) {
            try (var module = index % 10 == 0 ? engine.compile(Guests.misbehaving("counter")) : engine.load(image);
                    var linked = module.link(WapcCall.imports())) {
                assertThat(new WapcCall("validate", "{}").startAndRun(linked, Deadline.NONE))
                        .contains("memory=0");
            }
        }
    }

    private byte[] serialised() {
        try (var module = engine.compile(Guests.misbehaving("counter"))) {
            return module.serialize();
        }
    }

    private static long residentKilobytes() throws IOException {
        System.gc();
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    WasmEngine engine() {
        return engine;
    }

    @Override
    WasmEngine engine(EngineLimits limits) {
        return WasmEngines.wasmtime(limits);
    }

    @AfterAll
    void close() {
        engine.close();
    }
}
