package io.portcullis.server.http;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.portcullis.process.http.HttpProblem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * What stands behind {@code /debug/pprof}: the paths are upstream's, the formats Java's own. CPU profiles are JFR
 * recordings, heap profiles are heap dumps. One at a time.
 */
final class Profiles {

    private final Semaphore one = new Semaphore(1);

    /** The caller deletes the file and its directory, which is the file's own. */
    Path cpu(Duration interval) throws IOException, InterruptedException {
        enter();
        try (var recording = new Recording(Configuration.getConfiguration("profile"))) {
            recording.start();
            Thread.sleep(interval);
            recording.stop();
            var file = Files.createTempDirectory("cpu_profile").resolve("cpu_profile.jfr");
            recording.dump(file);
            return file;
        } catch (ParseException e) {
            throw new IllegalStateException("the JDK's own profile settings are broken", e);
        } finally {
            one.release();
        }
    }

    /** The caller deletes the file and its directory, which is the file's own. */
    Path heap() throws IOException {
        enter();
        try {
            var file = Files.createTempDirectory("heap_profile").resolve("heap_profile.hprof");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
            return file;
        } finally {
            one.release();
        }
    }

    private void enter() {
        if (!one.tryAcquire()) {
            throw new HttpProblem(503, "a profile is being taken already");
        }
    }
}
