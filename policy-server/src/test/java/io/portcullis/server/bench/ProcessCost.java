package io.portcullis.server.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The CPU time and memory of a process, read from {@code /proc}. */
record ProcessCost(double cpuSeconds, long residentKib) {

    private static final double TICKS_PER_SECOND = 100;

    static ProcessCost of(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        var ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        var resident = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
        return new ProcessCost(ticks / TICKS_PER_SECOND, resident);
    }
}
