package io.portcullis.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks {@code /debug/pprof} when it is enabled: Java tools can read the profiles, and no files are left behind. */
class ProfilesTest {

    @TempDir
    Path dir;

    private RunningServer server;

    @BeforeEach
    void start() throws Exception {
        server = new RunningServer(dir, "{}", "--enable-pprof");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<Path> get(String path) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.server.apiPort() + path))
                            .build(),
                    BodyHandlers.ofFile(dir.resolve("profile")));
        }
    }

    private static Set<String> leftovers() throws IOException {
        try (var files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("cpu_profile") || name.startsWith("heap_profile"))
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void theCpuProfileIsAFlightRecording() throws Exception {
        var before = leftovers();

        var answer = get("/debug/pprof/cpu?interval=1&frequency=99");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/octet-stream");
        assertThat(answer.headers().firstValue("Content-Disposition"))
                .hasValue("attachment; filename=\"cpu_profile.jfr\"");
        assertThat(RecordingFile.readAllEvents(answer.body())).isNotEmpty();
        assertThat(before).containsAll(leftovers());
    }

    @Test
    void theHeapProfileIsAHeapDump() throws Exception {
        var before = leftovers();

        var answer = get("/debug/pprof/heap");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Disposition"))
                .hasValue("attachment; filename=\"heap_profile.hprof\"");
        try (var in = Files.newInputStream(answer.body())) {
            assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII)).isEqualTo("JAVA PROFILE");
        }
        assertThat(before).containsAll(leftovers());
    }

    @Test
    void rejectsAnIntervalThatIsNotANumber() throws Exception {
        for (var interval : List.of("x", "-1", "1000000", "")) {
            assertThat(get("/debug/pprof/cpu?interval=" + interval).statusCode())
                    .as(interval)
                    .isEqualTo(400);
        }
    }
}
