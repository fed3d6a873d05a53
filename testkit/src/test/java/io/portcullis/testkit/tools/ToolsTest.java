package io.portcullis.testkit.tools;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ToolsTest {

    @Test
    void reportsAnUnknownToolName() {
        assertThatThrownBy(() -> Tools.current().path("hammer"))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("no tool is called 'hammer'");
    }
}
