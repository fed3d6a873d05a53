package io.portcullis.evaluator.host;

import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Receives the log lines of policies. */
@FunctionalInterface
public interface PolicyLog {

    /** @param data the other keys of the guest's line as JSON text */
    void log(String policyId, Level level, String message, String data);

    /** Uses a separate logger name, so that operators can set its level independently of the program's. */
    static PolicyLog slf4j() {
        var log = LoggerFactory.getLogger("policy_log");
        return (policyId, level, message, data) -> log.atLevel(level)
                .addKeyValue("policy_id", policyId)
                .addKeyValue("data", data)
                .log(message);
    }
}
