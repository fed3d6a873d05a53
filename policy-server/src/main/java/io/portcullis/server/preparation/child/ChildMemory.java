package io.portcullis.server.preparation.child;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Reads the private memory of a process, without memory that is mapped from files. */
public final class ChildMemory {

    private static final List<String> PARTS = List.of("RssAnon:", "RssShmem:");

    private ChildMemory() {}

    /** @return empty where the operating system does not report it, or when the process has exited */
    public static OptionalLong of(long pid) {
        try {
            return parse(Files.readString(Path.of("/proc", Long.toString(pid), "status")));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** @param status the content of {@code /proc/PID/status}, whose unit is 1024 bytes */
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
