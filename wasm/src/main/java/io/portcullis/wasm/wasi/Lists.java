package io.portcullis.wasm.wasi;

import java.util.List;

/** Arguments and environment: lists of zero-terminated strings, which a guest reads in two steps. */
final class Lists {

    private Lists() {}

    static long sizes(Wasi.Call call, List<byte[]> strings, long[] arguments) {
        call.memory().writeInt(arguments[0], strings.size());
        call.memory()
                .writeInt(
                        arguments[1],
                        strings.stream().mapToInt(string -> string.length).sum());
        return Errno.SUCCESS;
    }

    static long get(Wasi.Call call, List<byte[]> strings, long[] arguments) {
        var pointer = arguments[0];
        var text = arguments[1];
        for (var string : strings) {
            call.memory().writeInt(pointer, (int) text);
            call.memory().write(text, string);
            pointer += Integer.BYTES;
            text += string.length;
        }
        return Errno.SUCCESS;
    }
}
