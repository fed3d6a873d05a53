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
 * Creates profiles for {@code /debug/pprof}. The paths are upstream's, the formats are Java's own: CPU profiles are JFR
 * recordings, heap profiles are heap dumps. Creates one profile at a time.
 */
final class Profiles {

    private final Semaphore permit = new Semaphore(1);

    /** The caller must delete the file and its directory, which contains nothing else. */
    Path cpu(Duration interval) throws IOException, InterruptedException {
        acquire();
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
            permit.release();
        }
    }

    /** The caller must delete the file and its directory, which contains nothing else. */
    Path heap() throws IOException {
        acquire();
        try {
            var file = Files.createTempDirectory("heap_profile").resolve("heap_profile.hprof");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
            return file;
        } finally {
            permit.release();
        }
    }

    private void acquire() {
        if (!permit.tryAcquire()) {
            throw new HttpProblem(503, "a profile is being taken already");
        }
    }
}
