package io.portcullis.kwctl.run;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.kwctl.cli.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestDocumentTest {

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":1.5e99999999999}", "[1e-99999999999]"})
    void rejectsNumbersThatAreTooLarge(String text) {
        assertThatThrownBy(() -> RequestDocument.parse(text))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("The request has a number that is too large: ");
    }

    @Test
    void reportsWhereTheJsonEnds() {
        assertThatThrownBy(() -> RequestDocument.parse("{\n"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("at line ");
    }
}
