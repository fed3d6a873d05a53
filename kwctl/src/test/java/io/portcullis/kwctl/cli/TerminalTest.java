package io.portcullis.kwctl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {

    @Test
    void stylesOnlyStreamsThatAreTerminals() {
        assertThat(Terminal.of("", Map.of())).isEqualTo(new Terminal(false, false, 80));
        assertThat(Terminal.of("2", Map.of("COLUMNS", "200"))).isEqualTo(new Terminal(false, true, 80));
        assertThat(Terminal.of("12", Map.of("COLUMNS", "200"))).isEqualTo(new Terminal(true, true, 120));
    }

    @Test
    void honoursNoColorAndDumbTerminals() {
        assertThat(Terminal.of("12", Map.of("NO_COLOR", "1")).outStyled()).isFalse();
        assertThat(Terminal.of("12", Map.of("TERM", "dumb")).errStyled()).isFalse();
    }
}
