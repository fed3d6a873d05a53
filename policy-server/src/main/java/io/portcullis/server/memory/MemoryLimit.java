package io.portcullis.server.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the memory limit of this process: the smallest limit of its control groups, else the memory of the machine.
 *
 * @param root the directory in which {@code /proc} and {@code /sys} are mounted
 */
public record MemoryLimit(Path root) {

    /** Version 1 of control groups reports "no limit" as a number close to 2^63. */
    private static final long UNLIMITED = 1L << 60;

    private static final long KIB = 1 << 10;

    /** Returns the memory limit of this process. */
    public static OptionalLong ofThisProcess() {
        return new MemoryLimit(Path.of("/")).find();
    }

    /** @return empty when there are neither control groups nor {@code /proc} */
    OptionalLong find() {
        return Stream.of(
                        groupLimits("", "sys/fs/cgroup", "memory.max"),
                        groupLimits("memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                        Stream.of(machine()))
                .flatMap(limits -> limits)
                .flatMapToLong(OptionalLong::stream)
                .min();
    }

    /** Returns the limits of a group and all its parents. In a container the directory of the group may not be visible. */
    private Stream<OptionalLong> groupLimits(String controller, String mount, String file) {
        var names = Stream.of(group(controller).split("/"))
                .filter(name -> !name.isEmpty() && !name.equals(".."))
                .toList();
        return IntStream.rangeClosed(0, names.size())
                .mapToObj(depth -> Path.of(mount, names.subList(0, depth).toArray(String[]::new)))
                .map(directory -> number(read(root.resolve(directory).resolve(file))));
    }

    /** Parses lines such as {@code 4:memory:/kubepods/pod1} or, in version 2, {@code 0::/}. */
    private String group(String controller) {
        return read(root.resolve("proc/self/cgroup"))
                .lines()
                .map(line -> line.split(":", 3))
                .filter(parts ->
                        parts.length == 3 && Stream.of(parts[1].split(",")).anyMatch(controller::equals))
                .map(parts -> parts[2])
                .filter(path -> path.startsWith("/"))
                .findFirst()
                .orElse("/");
    }

    private OptionalLong machine() {
        return read(root.resolve("proc/meminfo"))
                .lines()
                .filter(line -> line.startsWith("MemTotal:"))
                .map(line -> number(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .filter(OptionalLong::isPresent)
                .map(kibibytes -> OptionalLong.of(kibibytes.getAsLong() * KIB))
                .orElse(OptionalLong.empty());
    }

    private static OptionalLong number(String text) {
        var digits = text.strip();
        if (digits.isEmpty() || digits.length() > 19 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        try {
            var number = Long.parseLong(digits);
            return number > 0 && number < UNLIMITED ? OptionalLong.of(number) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Reads a file of the kernel, which is small. Returns an empty text if it does not exist. */
    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
