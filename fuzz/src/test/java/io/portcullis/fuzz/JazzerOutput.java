package io.portcullis.fuzz;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The parsed output of one Jazzer run.
 *
 * @param executions number of tested inputs
 * @param seconds duration of the fuzzing, without the start of the process
 * @param finding the first line of the finding, if there is one
 * @param reproducer the file with the input of the finding
 */
record JazzerOutput(long executions, long seconds, Optional<String> finding, Optional<String> reproducer) {

    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second\\(s\\)");
    private static final Pattern PULSE = Pattern.compile("#(\\d+)\\s.*");
    private static final Pattern FINDING = Pattern.compile("== Java Exception: (.*)|==\\d+== ?ERROR: (.*)");
    private static final Pattern REPRODUCER = Pattern.compile(".*Test unit written to (\\S+).*");

    static JazzerOutput parse(List<String> lines) {
        long executions = 0;
        long seconds = 0;
        Optional<String> finding = Optional.empty();
        Optional<String> reproducer = Optional.empty();
        for (var line : lines) {
            var done = DONE.matcher(line);
            var pulse = PULSE.matcher(line);
            var found = FINDING.matcher(line);
            var written = REPRODUCER.matcher(line);
            if (done.matches()) {
                executions = Long.parseLong(done.group(1));
                seconds = Long.parseLong(done.group(2));
            } else if (pulse.matches()) {
                executions = Math.max(executions, Long.parseLong(pulse.group(1)));
            } else if (found.matches() && finding.isEmpty()) {
                finding = Optional.ofNullable(found.group(1)).or(() -> Optional.ofNullable(found.group(2)));
            } else if (written.matches()) {
                reproducer = Optional.of(written.group(1));
            }
        }
        return new JazzerOutput(executions, seconds, finding, reproducer);
    }

    long perSecond() {
        return executions / Math.max(1, seconds);
    }
}
