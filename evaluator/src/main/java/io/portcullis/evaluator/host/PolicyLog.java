package io.portcullis.evaluator.host;

import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Where the log lines of policies go. */
@FunctionalInterface
public interface PolicyLog {

    /** @param data the other keys of the guest's line as one JSON text */
    void log(String policyId, Level level, String message, String data);

    /** A logger of its own name, so that operators can set its level apart from the program's. */
    static PolicyLog slf4j() {
        var log = LoggerFactory.getLogger("policy_log");
        return (policyId, level, message, data) -> log.atLevel(level)
                .addKeyValue("policy_id", policyId)
                .addKeyValue("data", data)
                .log(message);
    }
}
