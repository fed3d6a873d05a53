package io.portcullis.testkit.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ShellCommandTest {

    @Test
    void returnsTheOutput() {
        assertThat(ShellCommand.of("sh", "-c", "echo $GREETING")
                        .with("GREETING", "hello")
                        .run())
                .isEqualTo("hello");
    }

    @Test
    void reportsTheStandardErrorOfAFailure() {
        assertThatThrownBy(ShellCommand.of("sh", "-c", "echo broken >&2; exit 3")::run)
                .isInstanceOf(ShellCommandException.class)
                .hasMessageContaining("ended with 3: broken");
    }

    @Test
    void doesNotWaitForADaemonThatKeepsTheOutputOpen() {
        var command = ShellCommand.of("sh", "-c", "sleep 20 & echo $!").within(Duration.ofSeconds(10));

        var daemon = command.run();

        ProcessHandle.of(Long.parseLong(daemon)).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void killsACommandThatExceedsItsLimit() {
        assertThatThrownBy(ShellCommand.of("sleep", "20").within(Duration.ofMillis(50))::run)
                .isInstanceOf(ShellCommandException.class)
                .hasMessageContaining("took longer than");
    }
}
