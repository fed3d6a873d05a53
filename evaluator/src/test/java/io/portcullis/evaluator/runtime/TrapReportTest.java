package io.portcullis.evaluator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.TrapException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrapReportTest {

    private static final String REASON = "wasm `unreachable` instruction executed";

    private static TrapReport trap(String standardError, String... functions) {
        return TrapReport.of(
                new TrapException(TrapException.Kind.UNREACHABLE, REASON, List.of(functions), null), standardError);
    }

    @Test
    void showsOnlyTheReasonOfAGuestWithoutNamesAndOutput() {
        assertThat(trap("").message()).isEqualTo(REASON);
    }

    @Test
    void showsThePanicAndTheFunctionsOfThePolicy() {
        var report = trap(
                """
                debug output
                thread '<unnamed>' panicked at src/lib.rs:7:5:
                no containers
                note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
                """,
                "__rust_start_panic",
                "rust_panic",
                "std::panicking::rust_panic_with_hook::h0123456789abcdef",
                "core::panicking::panic_fmt::h0123456789abcdef",
                "<core::option::Option<T> as my::Trait>::get",
                "my_policy::containers::h0123456789abcdef",
                "my_policy::validate::h0123456789abcdef");

        assertThat(report.message())
                .isEqualTo(REASON + ": thread '<unnamed>' panicked at src/lib.rs:7:5: no containers"
                        + " (in my_policy::containers < my_policy::validate)");
        assertThat(report.functions()).hasSize(7).contains("core::panicking::panic_fmt");
    }

    @Test
    void showsThePanicOfGo() {
        assertThat(trap("panic: nil map\n\ngoroutine 1 [running]:\n", "runtime.fatalpanic", "main.validate")
                        .message())
                .isEqualTo(REASON + ": panic: nil map goroutine 1 [running]: (in main.validate)");
    }

    @Test
    void showsFunctionsOfTheLanguageIfThereAreNoOthers() {
        assertThat(trap("", "rust_panic").message()).isEqualTo(REASON + " (in rust_panic)");
    }

    @Test
    void showsOtherErrorsWithoutFunctions() {
        assertThat(TrapReport.of(new GuestExitException(3), "bad input\n").message())
                .isEqualTo(String.valueOf(new GuestExitException(3).getMessage()) + ": bad input");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u001b[31mred\u001b[0m", "two\r\nlines", "\u202egnirts", "nul\0"})
    void removesCharactersThatControlATerminal(String hostile) {
        assertThat(trap(hostile, hostile).message()).matches("[\\x20-\\x7e]+");
    }

    @Test
    void boundsWhatTheGuestChooses() {
        var functions = IntStream.range(0, 32).mapToObj(_ -> "f".repeat(5_000)).toArray(String[]::new);

        var report = trap("panicked at ".repeat(10_000), functions);

        assertThat(report.message()).hasSizeLessThan(700);
        assertThat(report.functions()).allSatisfy(name -> assertThat(name).hasSizeLessThan(100));
    }
}
