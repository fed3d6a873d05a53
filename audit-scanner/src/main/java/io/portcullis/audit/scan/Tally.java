package io.portcullis.audit.scan;

import io.portcullis.audit.evaluation.AuditVerdict;
import io.portcullis.audit.report.Reports.Stored;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Metrics;
import java.util.Arrays;
import java.util.Locale;

/** Counts the work of a run and exports it as metrics. Thread-safe. */
public final class Tally {

    private final Counter objects;
    private final Family<Counter> results;
    private final Family<Counter> reports;
    private final Family<Counter> failures;

    /** Failed work, by kind. */
    enum Failure {
        LIST,
        STORE,
        REMOVE,
        /** An unexpected error with one object, which is a bug of the scanner. */
        INTERNAL
    }

    public Tally(Metrics metrics) {
        objects = metrics.counter("kubewarden_audit_objects", "Objects that were judged.")
                .with();
        results = metrics.counter("kubewarden_audit_results", "Verdicts of policies on objects.", "result");
        reports = metrics.counter("kubewarden_audit_reports", "What became of reports.", "outcome");
        failures = metrics.counter("kubewarden_audit_failures", "Work that could not be done.", "what");
        // Initialise all series with zero, so that a missing series is not ambiguous.
        Arrays.stream(AuditVerdict.Result.values()).forEach(result -> results.with(result.wireName()));
        Arrays.stream(Stored.values()).forEach(stored -> reports.with(name(stored)));
        Arrays.stream(Failure.values()).forEach(failure -> failures.with(name(failure)));
    }

    void evaluated() {
        objects.increment();
    }

    void verdict(AuditVerdict.Result result) {
        results.with(result.wireName()).increment();
    }

    void report(Stored outcome) {
        reports.with(name(outcome)).increment();
    }

    void removed() {
        reports.with("removed").increment();
    }

    void failed(Failure what) {
        failures.with(name(what)).increment();
    }

    long objects() {
        return objects.value();
    }

    long count(AuditVerdict.Result result) {
        return results.with(result.wireName()).value();
    }

    long count(Stored outcome) {
        return reports.with(name(outcome)).value();
    }

    long removedReports() {
        return reports.with("removed").value();
    }

    long count(Failure what) {
        return failures.with(name(what)).value();
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
