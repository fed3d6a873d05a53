package io.portcullis.images;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs as they are built print the version of the release, not that of a developer's class files. */
class ProgramVersionIT {

    @ParameterizedTest
    @ValueSource(strings = {"policy-server", "controller", "audit-scanner", "kwctl"})
    void printsTheVersionOfTheBuild(String program) {
        var outcome = ShellCommand.of(Checkout.current().program(program).toString(), "--version")
                .attempt();

        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        assertThat(outcome.output()).contains("0.1.0").doesNotContain("development");
    }
}
