package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.wasm.wasi.CapturedOutput;
import io.portcullis.wasm.wasi.WasiContext;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs the output of a guest under the name of its policy, so that it cannot be confused with the server's own log
 * lines.
 */
final class GuestOutput {

    private static final Logger log = LoggerFactory.getLogger(GuestOutput.class);

    private GuestOutput() {}

    static void log(String policyId, WasiContext wasi, LogQuota quota) {
        log(policyId, Level.DEBUG, "policy printed to stdout", wasi.stdout(), quota);
        log(policyId, Level.WARN, "policy printed to stderr", wasi.stderr(), quota);
    }

    private static void log(String policyId, Level level, String message, CapturedOutput output, LogQuota quota) {
        if (!output.isEmpty() && log.isEnabledForLevel(level)) {
            quota.admit(policyId, new String(output.bytes(), StandardCharsets.UTF_8).strip())
                    .ifPresent(text -> log.atLevel(level)
                            .addKeyValue("policy_id", policyId)
                            .addKeyValue("text", text)
                            .log(message));
        }
    }
}
