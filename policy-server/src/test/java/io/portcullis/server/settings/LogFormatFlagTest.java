package io.portcullis.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.process.cli.Arguments;
import io.portcullis.process.cli.ExitCode;
import io.portcullis.process.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogFormatFlagTest {

    @ParameterizedTest
    @CsvSource({
        "text,   false, false",
        "json,   false, false",
        "otlp,   true,  false",
        "jaeger, true,  true",
        "Jaeger, true,  true",
    })
    void takesJaegerForOtlpWithAWarning(String format, boolean exportsTraces, boolean warns) throws Exception {
        var arguments = parse(Map.of("KUBEWARDEN_LOG_FMT", format));

        assertThat(ServerSettings.from(arguments, Map.of(), false)
                        .observability()
                        .exportTraces())
                .isEqualTo(exportsTraces);
        assertThat(ServerSettings.warnings(arguments))
                .isEqualTo(
                        warns
                                ? List.of("--log-fmt jaeger is deprecated: traces are exported by OTLP; use otlp")
                                : List.of());
    }

    private static Arguments parse(Map<String, String> environment) throws InterruptedException {
        var parsed = new AtomicReference<Arguments>();
        var err = new ByteArrayOutputStream();
        var code = new Program("policy-server", "", List.of(), ServerFlags.ALL, arguments -> {
                    parsed.set(arguments);
                    return ExitCode.OK;
                })
                .run(
                        new String[0],
                        environment,
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        new PrintStream(err, false, StandardCharsets.UTF_8));
        assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return parsed.get();
    }
}
