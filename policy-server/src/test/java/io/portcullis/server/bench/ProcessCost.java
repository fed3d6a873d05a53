package io.portcullis.server.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The CPU time and memory of a process, read from {@code /proc}. */
record ProcessCost(double cpuSeconds, long residentKib, long peakKib) {

    static final ProcessCost UNKNOWN = new ProcessCost(Double.NaN, 0, 0);

    private static final double TICKS_PER_SECOND = 100;

    static ProcessCost of(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        var ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        var status = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
        return new ProcessCost(ticks / TICKS_PER_SECOND, kib(status, "VmRSS:"), kib(status, "VmHWM:"));
    }

    private static long kib(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }
}
