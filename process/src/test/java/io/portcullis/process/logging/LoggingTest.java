package io.portcullis.process.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class LoggingTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String logged(LogFormat format, boolean colours, Runnable work) {
        Logging.configure(new LogSettings(Level.INFO, format, colours, out));
        work.run();
        return out.toString(StandardCharsets.UTF_8);
    }

    @AfterEach
    void quietAgain() {
        Logging.configure(new LogSettings(Level.WARN, LogFormat.TEXT, false, System.err));
    }

    private static void speak() {
        LoggerFactory.getLogger("app.part")
                .atInfo()
                .addKeyValue("policy_id", "a b")
                .addKeyValue("count", 3)
                .log("policy loaded");
    }

    @Test
    void writesTextWithTimeLevelTargetMessageAndPairs() {
        assertThat(logged(LogFormat.TEXT, false, LoggingTest::speak))
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z  INFO app\\.part: policy loaded policy_id=\"a b\" count=3\n");
    }

    @Test
    void writesJsonInKubewardensForm() {
        assertThat(logged(LogFormat.JSON, false, LoggingTest::speak))
                .matches("\\{\"timestamp\":\"[^\"]+Z\",\"level\":\"INFO\",\"fields\":\\{\"message\":\"policy loaded\","
                        + "\"policy_id\":\"a b\",\"count\":3\\},\"target\":\"app.part\"\\}\n");
    }

    @Test
    void escapesLineBreaksInValues() {
        var text = logged(
                LogFormat.TEXT,
                false,
                () -> LoggerFactory.getLogger("x")
                        .atInfo()
                        .addKeyValue("k", "a\n2026 ERROR b")
                        .log("c\nd"));

        assertThat(text.lines()).hasSize(1);
    }

    @Test
    void usesColoursOnlyWhenConfigured() {
        assertThat(logged(LogFormat.TEXT, false, LoggingTest::speak)).doesNotContain("\u001b");
        assertThat(logged(LogFormat.TEXT, true, LoggingTest::speak)).contains("\u001b[32m");
    }

    @Test
    void logsLinesOfLibrariesThatUseTheJdkLogger() {
        var text = logged(
                LogFormat.TEXT,
                false,
                () -> java.util.logging.Logger.getLogger("lib").warning("old style"));

        assertThat(text).contains(" WARN lib: old style");
    }

    @Test
    void neverClosesTheStreamItWritesTo() {
        var closed = new java.util.concurrent.atomic.AtomicBoolean();
        var stream = new ByteArrayOutputStream() {
            @Override
            public void close() {
                closed.set(true);
            }
        };

        Logging.configure(new LogSettings(Level.INFO, LogFormat.TEXT, false, stream));
        Logging.configure(new LogSettings(Level.INFO, LogFormat.TEXT, false, stream));

        assertThat(closed).isFalse();
    }

    @Test
    void filtersByLevel() {
        assertThat(logged(
                        LogFormat.TEXT,
                        false,
                        () -> LoggerFactory.getLogger("x").debug("hidden")))
                .isEmpty();
    }
}
