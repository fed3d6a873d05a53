package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.WasmException;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reason why a guest failed, for the author of the policy: the error of the engine, what the guest wrote to standard error
 * (the panic message of Rust and Go), and the functions on its stack. The guest chooses the last two, so this class
 * bounds them and removes control characters.
 *
 * @param reason the error of the engine
 * @param panic the guest's own text on one line, or empty
 * @param functions names of the functions on the stack, innermost first; empty if the module has no names
 */
public record TrapReport(String reason, String panic, List<String> functions) {

    private static final Logger log = LoggerFactory.getLogger(TrapReport.class);

    private static final int MAX_PANIC = 300;
    private static final int MAX_FUNCTIONS_IN_MESSAGE = 3;
    private static final int MAX_FUNCTION_NAME = 80;

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+");
    /** The hash that Rust appends to the name of a function. */
    private static final Pattern RUST_HASH = Pattern.compile("::h[0-9a-f]{16}$");
    /** Functions of the language, between the code of the policy and the trap. */
    private static final Pattern LANGUAGE_RUNTIME =
            Pattern.compile("(?:<?(?:std|core|alloc)::|__rust|rust_|_?abort|runtime\\.|__wasi).*");
    /** Words that begin a panic message. Other output may stand before it. */
    private static final List<String> PANIC_WORDS = List.of("panicked at", "panic: ", "fatal error: ");

    private static final String RUST_NOTE = "note: run with `RUST_BACKTRACE";

    /** @param standardError what the guest wrote to standard error, or an empty text */
    public static TrapReport of(WasmException failure, String standardError) {
        var functions = failure instanceof TrapException trap
                ? trap.backtrace().stream().map(TrapReport::functionName).toList()
                : List.<String>of();
        return new TrapReport(
                String.valueOf(failure.getMessage()), shortened(oneLine(panicIn(standardError)), MAX_PANIC), functions);
    }

    /** Returns the text for the message of a response. */
    public String message() {
        return reason + (panic.isEmpty() ? "" : ": " + panic) + innermost();
    }

    /** Logs the error with all functions, within the log quota of the policy. */
    public void log(String policyId, LogQuota quota) {
        if (functions.isEmpty()) {
            return; // the message of the response has everything
        }
        quota.admit(policyId, message() + "; stack: " + String.join(" < ", functions))
                .ifPresent(text -> log.atWarn()
                        .addKeyValue("policy_id", policyId)
                        .addKeyValue("text", text)
                        .log("policy trapped"));
    }

    /** The innermost functions of the policy, without those of its language. */
    private String innermost() {
        var own = functions.stream()
                .filter(name -> !LANGUAGE_RUNTIME.matcher(name).matches())
                .toList();
        var shown = (own.isEmpty() ? functions : own)
                .stream().limit(MAX_FUNCTIONS_IN_MESSAGE).toList();
        return shown.isEmpty() ? "" : " (in " + String.join(" < ", shown) + ")";
    }

    private static String panicIn(String text) {
        int word = PANIC_WORDS.stream().mapToInt(text::lastIndexOf).max().orElse(-1);
        var panic = word < 0 ? text : text.substring(text.lastIndexOf('\n', word) + 1);
        int note = panic.indexOf(RUST_NOTE);
        return note < 0 ? panic : panic.substring(0, note);
    }

    private static String functionName(String name) {
        return shortened(oneLine(RUST_HASH.matcher(name).replaceFirst("")), MAX_FUNCTION_NAME);
    }

    private static String oneLine(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(" ").strip();
    }

    private static String shortened(String text, int limit) {
        return text.length() <= limit ? text : text.substring(0, limit) + "…";
    }
}
