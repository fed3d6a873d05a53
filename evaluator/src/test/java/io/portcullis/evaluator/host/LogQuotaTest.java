package io.portcullis.evaluator.host;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogQuotaTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(LogQuota.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long now = Long.MAX_VALUE - 5;
    private final LogQuota quota = new LogQuota(2_000, 100, () -> now);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    @Test
    void admitsLinesUntilTheBytesOfTheMinuteAreUsed() {
        int admitted = 0;
        for (int i = 0; i < 1_000; i++) {
            admitted += quota.admit("p", "x".repeat(72)).isPresent() ? 1 : 0;
        }

        assertThat(admitted).isEqualTo(10);
        assertThat(quota.droppedLines()).isEqualTo(990);
        assertThat(quota.usedBytes()).isEqualTo(2_000);
        assertThat(quota.isUsedUp("p")).isTrue();
        assertThat(quota.droppedLines()).isEqualTo(991);
    }

    @Test
    void everyPolicyHasItsOwnQuota() {
        while (quota.admit("loud", "x").isPresent()) {
            assertThat(quota.usedBytes()).isLessThanOrEqualTo(2_000);
        }

        assertThat(quota.admit("quiet", "hello")).contains("hello");
        assertThat(quota.isUsedUp("quiet")).isFalse();
    }

    @Test
    void reportsDroppedLinesOnceAndAdmitsAgainInTheNextMinute() {
        while (quota.admit("p", "x").isPresent()) {
            assertThat(lines.list).isEmpty();
        }
        assertThat(quota.admit("p", "y")).isEmpty();
        now += TimeUnit.MINUTES.toNanos(1);

        assertThat(quota.isUsedUp("p")).isFalse();
        assertThat(quota.admit("other", "z")).contains("z");
        assertThat(quota.admit("p", "z")).contains("z");
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("2 log lines of policy p dropped");
    }

    @Test
    void truncatesLongLines() {
        assertThat(quota.admit("p", "x".repeat(1_000))).contains("x".repeat(100) + "… (900 characters cut)");
    }
}
