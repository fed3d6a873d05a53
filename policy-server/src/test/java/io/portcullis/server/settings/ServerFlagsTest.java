package io.portcullis.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.process.cli.Flag;
import org.junit.jupiter.api.Test;

/** A PolicyServer passes on its {@code spec.env}, so every flag with a variable can be set on the resource. */
class ServerFlagsTest {

    @Test
    void everySettingCanComeFromTheEnvironment() {
        assertThat(ServerFlags.ALL)
                .filteredOn(flag -> flag.variable().isEmpty())
                .extracting(Flag::name)
                .as("colours are for terminals; NO_COLOR turns them off, too")
                .containsExactly("--log-no-color");
    }
}
