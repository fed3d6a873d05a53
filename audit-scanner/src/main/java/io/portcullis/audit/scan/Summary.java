package io.portcullis.audit.scan;

import io.portcullis.audit.evaluation.AuditVerdict.Result;
import io.portcullis.audit.report.Reports.Stored;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Result of a run.
 *
 * @param counts by the names in the summary log line
 * @param isComplete whether everything was listed, every object was evaluated and every report was stored
 */
public record Summary(Map<String, Long> counts, boolean isComplete) {

    static Summary of(ScanPlan plan, Tally tally, long givenUp, long retries, long listCalls, Duration duration) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("objects", tally.objects());
        counts.put("pass", tally.count(Result.PASS));
        counts.put("fail", tally.count(Result.FAIL));
        counts.put("error", tally.count(Result.ERROR));
        counts.put("policies_audited", plan.policies());
        counts.put("policies_skipped", (long) plan.skipped().size());
        counts.put("policies_errored", plan.errored().size() + givenUp);
        for (var outcome : Stored.values()) {
            if (outcome != Stored.NOT_WANTED) {
                counts.put("reports_" + outcome.name().toLowerCase(Locale.ROOT), tally.count(outcome));
            }
        }
        counts.put("reports_removed", tally.removedReports());
        var failures = 0L;
        for (var failure : Tally.Failure.values()) {
            failures += tally.count(failure);
        }
        counts.put("lists_failed", tally.count(Tally.Failure.LIST));
        counts.put("retries", retries);
        counts.put("list_calls", listCalls);
        counts.put("duration_ms", duration.toMillis());
        return new Summary(counts, failures == 0);
    }
}
