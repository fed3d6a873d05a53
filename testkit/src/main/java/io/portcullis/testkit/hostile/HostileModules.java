package io.portcullis.testkit.hostile;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;

/**
 * Makes modules that a hostile policy author would publish. Each is a waPC policy with valid metadata that accepts all
 * settings.
 */
public final class HostileModules {

    private static final int SECTION_CUSTOM = 0;
    private static final int SECTION_TYPE = 1;
    private static final int SECTION_IMPORT = 2;
    private static final int SECTION_FUNCTION = 3;
    private static final int SECTION_MEMORY = 5;
    private static final int SECTION_EXPORT = 7;
    private static final int SECTION_CODE = 10;
    private static final int SECTION_DATA = 11;

    private static final byte[] MAGIC = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final byte[] I32 = {0x7f};
    private static final int VALIDATE = 8;
    private static final int VALIDATE_SETTINGS = 17;
    private static final String ACCEPTED = "{\"accepted\":true}";
    private static final String VALID_SETTINGS = "{\"valid\":true}";
    private static final int SETTINGS_ANSWER_AT = 16;
    private static final int ANSWER_AT = 256;

    private HostileModules() {}

    /** A policy that answers every request with the given text. */
    public static byte[] answering(String answer) {
        return policy(1, new byte[0], answer, new byte[0]);
    }

    /** Rejects and accepts in one answer, by a duplicate key. */
    public static byte[] duplicateKey() {
        return answering("{\"accepted\":false,\"message\":\"no\",\"accepted\":true}");
    }

    /** A {@code name} section whose list of names declares a length of two gigabytes. */
    public static byte[] hugeNameSection() {
        return concat(
                policy(1, new byte[0], ACCEPTED, bytes("_start")),
                custom("name", concat(new byte[] {1}, leb(Integer.MAX_VALUE), new byte[] {0})));
    }

    /** A {@code name} section that declares a name of two gigabytes. */
    public static byte[] hugeName() {
        var names = concat(leb(1), leb(0), leb(Integer.MAX_VALUE), bytes("ab"));
        return concat(
                policy(1, new byte[0], ACCEPTED, bytes("_start")),
                custom("name", concat(new byte[] {1}, leb(names.length), names)));
    }

    /** A {@code name} section that declares four billion names. */
    public static byte[] manyNames() {
        var names = leb(0xffff_ffffL);
        return concat(
                policy(1, new byte[0], ACCEPTED, bytes("_start")),
                custom("name", concat(new byte[] {1}, leb(names.length), names)));
    }

    /** A memory of the given number of 64 KiB pages and a start function, so that pre-initialisation would copy it. */
    public static byte[] largeMemory(int pages) {
        return policy(pages, new byte[0], ACCEPTED, bytes("_start"));
    }

    /** Declares as many memories as given, each with the given number of 64 KiB pages. */
    public static byte[] manyMemories(int memories, int pages) {
        var memory = concat(new byte[] {0}, leb(pages));
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < memories; i++) {
            all.writeBytes(memory);
        }
        return module(concat(leb(memories), all.toByteArray()), new byte[0], ACCEPTED, new byte[0], List.of());
    }

    /** Writes a log line of 1,000 characters in an endless loop when it validates. */
    public static byte[] endlessLogging() {
        // loop: call $console_log(256, 1000); br 0
        var loop = concat(
                new byte[] {0x03, 0x40}, constant(ANSWER_AT), constant(1000), new byte[] {0x10, 0x01, 0x0c, 0x00, 0x0b
                });
        var whenValidating = concat(
                new byte[] {0x20, 0x00}, constant(VALIDATE), new byte[] {0x46, 0x04, 0x40}, loop, new byte[] {0x0b});
        return policy(1, whenValidating, "x".repeat(1000), new byte[0]);
    }

    /** Functions that cost the compiler much time and memory: random data flow over many local variables. */
    public static byte[] expensiveToCompile(int functions, int functionBytes, int locals) {
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
        var bodies = IntStream.range(0, functions)
                .mapToObj(_ -> expensiveFunction(random, functionBytes, locals))
                .toList();
        return module(concat(leb(1), new byte[] {0}, leb(1)), new byte[0], ACCEPTED, new byte[0], bodies);
    }

    private static byte[] expensiveFunction(RandomGenerator random, int size, int locals) {
        var body = new ByteArrayOutputStream();
        body.writeBytes(concat(leb(1), leb(locals), I32));
        while (body.size() < size) {
            var a = leb(random.nextInt(locals));
            var b = leb(random.nextInt(locals));
            var c = leb(random.nextInt(locals));
            body.writeBytes(concat(new byte[] {0x20}, a, new byte[] {0x20}, b, new byte[] {0x6a, 0x21}, c));
            if (random.nextInt(5) == 0) {
                body.writeBytes(concat(
                        new byte[] {0x20}, a, new byte[] {0x04, 0x40, 0x20}, b, new byte[] {0x21}, c, new byte[] {0x0b
                        }));
            }
        }
        body.writeBytes(new byte[] {0x20, 0x00, 0x0b});
        return body.toByteArray();
    }

    private static byte[] policy(int pages, byte[] beforeAnswer, String answer, byte[] startName) {
        return module(concat(leb(1), new byte[] {0}, leb(pages)), beforeAnswer, answer, startName, List.of());
    }

    /**
     * Assembles a waPC policy.
     *
     * @param memories the content of the memory section
     * @param beforeAnswer code that {@code __guest_call} runs before it answers a request
     * @param startName the name of an exported start function; empty for none
     * @param others bodies of further functions of the same type as {@code __guest_call}
     */
    private static byte[] module(
            byte[] memories, byte[] beforeAnswer, String answer, byte[] startName, List<byte[]> others) {
        boolean starts = startName.length > 0;
        var types = concat(
                leb(3), new byte[] {0x60, 2, 0x7f, 0x7f, 0}, new byte[] {0x60, 2, 0x7f, 0x7f, 1, 0x7f}, new byte[] {
                    0x60, 0, 0
                });
        var imports = concat(
                leb(2),
                name("wapc"),
                name("__guest_response"),
                new byte[] {0, 0},
                name("wapc"),
                name("__console_log"),
                new byte[] {0, 0});
        // Functions 0 and 1 are imported.
        var functions = new ByteArrayOutputStream();
        functions.writeBytes(leb(1 + others.size() + (starts ? 1 : 0)));
        functions.writeBytes(leb(1));
        others.forEach(_ -> functions.writeBytes(leb(1)));
        if (starts) {
            functions.writeBytes(leb(2));
        }
        var exports = new ByteArrayOutputStream();
        exports.writeBytes(leb(starts ? 3 : 2));
        exports.writeBytes(concat(name("memory"), new byte[] {2, 0}));
        exports.writeBytes(concat(name("__guest_call"), new byte[] {0, 2}));
        if (starts) {
            exports.writeBytes(concat(leb(startName.length), startName, new byte[] {0}, leb(3 + others.size())));
        }
        var code = new ByteArrayOutputStream();
        code.writeBytes(leb(1 + others.size() + (starts ? 1 : 0)));
        code.writeBytes(sized(guestCall(beforeAnswer, answer)));
        others.forEach(body -> code.writeBytes(sized(body)));
        if (starts) {
            code.writeBytes(sized(new byte[] {0, 0x0b}));
        }
        var data = concat(leb(2), segment(SETTINGS_ANSWER_AT, VALID_SETTINGS), segment(ANSWER_AT, answer));
        return concat(
                MAGIC,
                section(SECTION_TYPE, types),
                section(SECTION_IMPORT, imports),
                section(SECTION_FUNCTION, functions.toByteArray()),
                section(SECTION_MEMORY, memories),
                section(SECTION_EXPORT, exports.toByteArray()),
                section(SECTION_CODE, code.toByteArray()),
                section(SECTION_DATA, data),
                custom(
                        "io.kubewarden.metadata",
                        bytes("{\"protocolVersion\":\"v1\",\"rules\":[],\"mutating\":false,"
                                + "\"annotations\":{\"io.kubewarden.policy.title\":\"hostile\"}}")));
    }

    /** Answers {@code validate_settings} (17 characters) with "valid" and everything else with the answer. */
    private static byte[] guestCall(byte[] beforeAnswer, String answer) {
        return concat(
                new byte[] {0, 0x20, 0},
                constant(VALIDATE_SETTINGS),
                new byte[] {0x46, 0x04, 0x40},
                constant(SETTINGS_ANSWER_AT),
                constant(VALID_SETTINGS.length()),
                new byte[] {0x10, 0, 0x05},
                beforeAnswer,
                constant(ANSWER_AT),
                constant(answer.length()),
                new byte[] {0x10, 0, 0x0b},
                constant(1),
                new byte[] {0x0b});
    }

    private static byte[] constant(int value) {
        return concat(new byte[] {0x41}, signedLeb(value));
    }

    private static byte[] segment(int at, String text) {
        return concat(new byte[] {0}, constant(at), new byte[] {0x0b}, name(text));
    }

    private static byte[] custom(String name, byte[] content) {
        return section(SECTION_CUSTOM, concat(name(name), content));
    }

    private static byte[] section(int id, byte[] content) {
        return concat(new byte[] {(byte) id}, sized(content));
    }

    private static byte[] sized(byte[] content) {
        return concat(leb(content.length), content);
    }

    private static byte[] name(String text) {
        return sized(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] leb(long value) {
        var out = new ByteArrayOutputStream();
        long rest = value;
        do {
            int low = (int) (rest & 0x7f);
            rest >>>= 7;
            out.write(rest == 0 ? low : low | 0x80);
        } while (rest != 0);
        return out.toByteArray();
    }

    private static byte[] signedLeb(int value) {
        var out = new ByteArrayOutputStream();
        int rest = value;
        while (true) {
            int low = rest & 0x7f;
            rest >>= 7;
            if ((rest == 0 && (low & 0x40) == 0) || (rest == -1 && (low & 0x40) != 0)) {
                out.write(low);
                return out.toByteArray();
            }
            out.write(low | 0x80);
        }
    }

    private static byte[] concat(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
