package io.portcullis.kwctl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class ErrorTextTest {

    private static String text(Throwable failure) {
        return ErrorText.of(failure, false);
    }

    @Test
    void printsOneLineForOneFailure() {
        assertThat(text(new CommandException("bad"))).isEqualTo("Error: bad\n");
    }

    @Test
    void keepsLineBreaksAndTabsOfMessages() {
        assertThat(text(new CommandException("a:\n\tb"))).isEqualTo("Error: a:\n\tb\n");
    }

    @Test
    void numbersSeveralCauses() {
        var failure = new CommandException("top", new CommandException("middle", new IOException("bottom")));

        assertThat(text(failure)).isEqualTo("Error: top\n\nCaused by:\n    0: middle\n    1: bottom\n");
    }

    @Test
    void usesTheErrorTextsOfTheOperatingSystem() {
        assertThat(text(new CommandException("x", new NoSuchFileException("/f"))))
                .isEqualTo("Error: x\n\nCaused by:\n    No such file or directory (os error 2)\n");
        assertThat(text(new UncheckedIOException(new AccessDeniedException("/f"))))
                .isEqualTo("Error: Permission denied (os error 13)\n");
    }

    @Test
    void omitsACauseThatTheMessageAlreadyQuotes() {
        assertThat(text(new CommandException("x: no route", new IOException("no route"))))
                .isEqualTo("Error: x: no route\n");
    }

    @Test
    void skipsCausesWithoutAMessage() {
        assertThat(text(new CommandException("x: cannot connect", new IOException((String) null))))
                .isEqualTo("Error: x: cannot connect\n");
    }

    @Test
    void namesTheKindOfProgrammingErrors() {
        assertThat(text(new IllegalStateException("oops"))).isEqualTo("Error: IllegalStateException: oops\n");
    }
}
