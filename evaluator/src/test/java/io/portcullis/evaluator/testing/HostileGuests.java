package io.portcullis.evaluator.testing;

import io.portcullis.wasm.binary.BinaryWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Small guests that misuse their host, assembled byte by byte. */
public final class HostileGuests {

    /** Functions that a waPC guest of this class can call, by index. */
    public static final int GUEST_RESPONSE = 0;

    public static final int GUEST_ERROR = 1;
    public static final int CONSOLE_LOG = 2;
    public static final int HOST_CALL = 3;
    public static final int POLL = 4;
    public static final int RANDOM = 5;
    public static final int FD_WRITE = 6;
    public static final int EXIT = 7;

    /** Functions that a Rego guest of this class can call, by index. */
    public static final int BUILTIN1 = 0;

    public static final int BUILTIN2 = 1;
    public static final int PRINTLN = 2;

    private static final int END = 0x0b;

    private HostileGuests() {}

    /** Concatenates instructions. */
    public static byte[] code(Object... parts) {
        var writer = new BinaryWriter();
        for (var part : parts) {
            switch (part) {
                case byte[] bytes -> writer.raw(bytes);
                case Integer octet -> writer.octet(octet);
                default -> throw new IllegalArgumentException("no instruction: " + part);
            }
        }
        return writer.bytes();
    }

    public static byte[] constant(int value) {
        return new BinaryWriter().octet(0x41).signed(value).bytes();
    }

    /** Calls a function with constant arguments. */
    public static byte[] call(int function, int... arguments) {
        var writer = new BinaryWriter();
        for (int argument : arguments) {
            writer.raw(constant(argument));
        }
        return writer.octet(0x10).number(function).bytes();
    }

    /** Drops the result of a call. */
    public static byte[] dropped(byte[] call) {
        return code(call, 0x1a);
    }

    public static byte[] forever(byte[] body) {
        return code(0x03, 0x40, body, 0x0c, 0, END);
    }

    /** {@code memory.fill}. */
    public static byte[] fill(int address, int octet, int length) {
        return code(constant(address), constant(octet), constant(length), 0xfc, 11, 0);
    }

    /** {@code i32.store8}. */
    public static byte[] store(int address, int octet) {
        return code(constant(address), constant(octet), 0x3a, 0, 0);
    }

    /** Creates a waPC guest. Every call runs the instructions and then returns success. */
    public static byte[] wapc(int pages, Map<Integer, String> data, byte[] instructions) {
        var module = new Module(pages, data);
        module.imports("wapc", "__guest_response", 2, 0);
        module.imports("wapc", "__guest_error", 2, 0);
        module.imports("wapc", "__console_log", 2, 0);
        module.imports("wapc", "__host_call", 8, 1);
        module.imports("wasi_snapshot_preview1", "poll_oneoff", 4, 1);
        module.imports("wasi_snapshot_preview1", "random_get", 2, 1);
        module.imports("wasi_snapshot_preview1", "fd_write", 4, 1);
        module.imports("wasi_snapshot_preview1", "proc_exit", 1, 0);
        module.function("__guest_call", 2, 1, code(instructions, constant(1)));
        return module.build();
    }

    /** Creates a waPC guest that answers with this text. */
    public static byte[] answering(String response) {
        int length = response.getBytes(StandardCharsets.UTF_8).length;
        return wapc(1 + length / 65_536, Map.of(0, response), call(GUEST_RESPONSE, 0, length));
    }

    /**
     * Creates a guest with the OPA ABI but without Rego: values are addresses of their texts. The tables of built-ins
     * and entry points are at 256 and 512, the result is at 1024.
     *
     * @param dump the instructions that turn a value into a text; the value is local 0
     */
    public static byte[] rego(int pages, Map<Integer, String> data, byte[] eval, byte[] dump) {
        var module = new Module(pages, data);
        module.imports("env", "opa_builtin1", 3, 1);
        module.imports("env", "opa_builtin2", 4, 1);
        module.imports("env", "opa_println", 1, 0);
        module.function("builtins", 0, 1, constant(256));
        module.function("entrypoints", 0, 1, constant(512));
        module.function("eval", 1, 1, code(eval, constant(0)));
        module.function("opa_eval_ctx_new", 0, 1, constant(0));
        module.function("opa_eval_ctx_set_input", 2, 0, code());
        module.function("opa_eval_ctx_set_data", 2, 0, code());
        module.function("opa_eval_ctx_set_entrypoint", 2, 0, code());
        module.function("opa_eval_ctx_get_result", 1, 1, constant(1024));
        module.function("opa_malloc", 1, 1, constant(32_768));
        module.function("opa_json_parse", 2, 1, constant(1));
        module.function("opa_json_dump", 1, 1, dump);
        module.function("opa_heap_ptr_get", 0, 1, constant(0));
        module.function("opa_heap_ptr_set", 1, 0, code());
        return module.build();
    }

    private static final class Module {
        private final int pages;
        private final Map<Integer, String> data;
        private final List<byte[]> types = new ArrayList<>();
        private final List<byte[]> imports = new ArrayList<>();
        private final List<byte[]> functions = new ArrayList<>();
        private final List<byte[]> exports = new ArrayList<>();
        private final List<byte[]> bodies = new ArrayList<>();

        Module(int pages, Map<Integer, String> data) {
            this.pages = pages;
            this.data = data;
            exports.add(new BinaryWriter().name("memory").octet(2).number(0).bytes());
        }

        void imports(String module, String name, int parameters, int results) {
            imports.add(new BinaryWriter()
                    .name(module)
                    .name(name)
                    .octet(0)
                    .number(type(parameters, results))
                    .bytes());
        }

        void function(String name, int parameters, int results, byte[] instructions) {
            exports.add(new BinaryWriter()
                    .name(name)
                    .octet(0)
                    .number(imports.size() + functions.size())
                    .bytes());
            functions.add(new BinaryWriter().number(type(parameters, results)).bytes());
            var body = code(0, instructions, END);
            bodies.add(new BinaryWriter().number(body.length).raw(body).bytes());
        }

        private int type(int parameters, int results) {
            var type = new BinaryWriter().octet(0x60).number(parameters);
            for (int i = 0; i < parameters; i++) {
                type.octet(0x7f);
            }
            type.number(results);
            for (int i = 0; i < results; i++) {
                type.octet(0x7f);
            }
            types.add(type.bytes());
            return types.size() - 1;
        }

        byte[] build() {
            var segments = new ArrayList<byte[]>();
            data.forEach((address, text) -> {
                var bytes = text.getBytes(StandardCharsets.UTF_8);
                segments.add(new BinaryWriter()
                        .number(0)
                        .raw(constant(address))
                        .octet(END)
                        .number(bytes.length)
                        .raw(bytes)
                        .bytes());
            });
            return new BinaryWriter()
                    .raw(Modules.empty())
                    .section(1, list(types))
                    .section(2, list(imports))
                    .section(3, list(functions))
                    .section(
                            5,
                            new BinaryWriter().number(1).octet(0).number(pages).bytes())
                    .section(7, list(exports))
                    .section(10, list(bodies))
                    .section(11, list(segments))
                    .bytes();
        }

        private static byte[] list(List<byte[]> entries) {
            var writer = new BinaryWriter().number(entries.size());
            entries.forEach(writer::raw);
            return writer.bytes();
        }
    }
}
