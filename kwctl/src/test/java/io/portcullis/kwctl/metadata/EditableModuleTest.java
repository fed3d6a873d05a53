package io.portcullis.kwctl.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.kwctl.cli.CommandException;
import java.util.HexFormat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections with a valid frame and invalid content; the fuzz target of the same name found them. */
class EditableModuleTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0700", // an export section without a count
                "070101", // one export that is not there
                "070401057961", // a name that is longer than the section
                "0706ffffffff7f00", // a count that does not fit
                "0706ffffffff0f00", // a count above 2^31
            })
    void rejectsMalformedExports(String section) {
        refuses(() -> module(section).exports());
        refuses(() -> module(section).isRego());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0200", // an import section without a count
                "020501000009ff", // an import of an unknown kind
                "02050100000200", // a memory without limits
                "0205ffffffff0f", // a count above 2^31
            })
    void rejectsMalformedImports(String section) {
        refuses(() -> module(section).withPlainHostImports());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000", "000105", "0005ffffffff7f"})
    void rejectsMalformedNamesOfCustomSections(String section) {
        refuses(() -> module(section).without("x"));
        refuses(() -> module(section).withoutDebugInformation());
        refuses(() -> module(section).withCustomSection("x", new byte[0]));
    }

    @Test
    void keepsSectionsThatItDoesNotRead() {
        assertThat(module("0700").bytes()).hasSize(10);
    }

    private static void refuses(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("Error parsing wasm module");
    }

    private static EditableModule module(String sections) {
        return EditableModule.parse(HexFormat.of().parseHex("0061736d01000000" + sections));
    }
}
