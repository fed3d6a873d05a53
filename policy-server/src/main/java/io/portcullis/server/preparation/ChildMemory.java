package io.portcullis.server.preparation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The memory that a process holds by itself: what it does not share with files. */
final class ChildMemory {

    private static final List<String> PARTS = List.of("RssAnon:", "RssShmem:");

    private ChildMemory() {}

    /** @return absent where the operating system does not report it, or when the process is gone */
    static OptionalLong of(long pid) {
        try {
            return parse(Files.readString(Path.of("/proc", Long.toString(pid), "status")));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** @param status content of {@code /proc/PID/status}, which counts in units of 1024 bytes */
    static OptionalLong parse(String status) {
        var parts = status.lines()
                .filter(line -> PARTS.stream().anyMatch(line::startsWith))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .filter(digits -> !digits.isEmpty())
                .toList();
        return parts.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(
                        1024 * parts.stream().mapToLong(Long::parseLong).sum());
    }
}
