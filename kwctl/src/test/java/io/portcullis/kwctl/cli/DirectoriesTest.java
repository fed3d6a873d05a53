package io.portcullis.kwctl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The directories of kwctl on each operating system. */
class DirectoriesTest {

    @Test
    void followsXdgOnLinux() {
        var directories = Directories.of(Map.of("HOME", "/h", "XDG_CACHE_HOME", "/c"), "Linux");

        assertThat(directories.config()).hasToString("/h/.config/kubewarden");
        assertThat(directories.store()).hasToString("/c/kubewarden/store");
        assertThat(directories.sourcesFile()).hasToString("/h/.config/kubewarden/sources.yaml");
        assertThat(directories.verificationConfigFile()).hasToString("/h/.config/kubewarden/verification-config.yml");
    }

    @Test
    void ignoresRelativeXdgValues() {
        assertThat(Directories.of(Map.of("HOME", "/h", "XDG_CACHE_HOME", "c"), "Linux")
                        .cache())
                .hasToString("/h/.cache/kubewarden");
    }

    @Test
    void usesTheLibraryOnMacOs() {
        var directories = Directories.of(Map.of("HOME", "/h", "XDG_CACHE_HOME", "/c"), "Mac OS X");

        assertThat(directories.config()).hasToString("/h/Library/Application Support/io.kubewarden.kubewarden");
        assertThat(directories.cache()).hasToString("/h/Library/Caches/io.kubewarden.kubewarden");
    }
}
