package io.portcullis.kwctl.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReferenceFormatTest {

    @TempDir
    Path directory;

    @Test
    void selectsTheMarkupByTheFileName() {
        var kwctl = new KwctlRunner(directory);

        assertThat(kwctl.run("docs", "-o", "kwctl.md").out()).isEmpty();
        kwctl.run("docs", "--output", "kwctl.adoc");

        assertThat(directory.resolve("kwctl.md"))
                .content()
                .startsWith("# Command-line reference of kwctl\n")
                .contains("\n## `kwctl run`\n", "* `-r, --request-path <PATH>`: ");
        assertThat(directory.resolve("kwctl.adoc")).content().startsWith("= ").contains("\n== `kwctl scaffold vap`\n");
    }
}
