package io.portcullis.server.evaluation;

import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.wasm.MemoryBudget;

/** Publishes the use and the limits of the resources that all policies share. */
public final class GuestMetrics {

    private GuestMetrics() {}

    /**
     * @param guests the memory of running guests
     * @param host the heap for data that host functions create for guests
     */
    public static void register(Metrics metrics, MemoryBudget guests, MemoryBudget host, LogQuota logs) {
        register(metrics, "kubewarden_guest_memory", "the memory of running policies", guests);
        register(metrics, "kubewarden_host_function_memory", "the heap for data of policies", host);
        metrics.gauge(
                "kubewarden_policy_log_bytes",
                "Bytes that all policies wrote to the log in the current minute.",
                logs::usedBytes);
        metrics.gauge(
                "kubewarden_policy_log_bytes_per_minute_limit",
                "Bytes that each policy may write to the log in a minute.",
                logs::bytesPerMinute);
        metrics.gauge(
                "kubewarden_policy_log_lines_dropped",
                "Log lines of policies that were dropped since the server started.",
                logs::droppedLines);
    }

    private static void register(Metrics metrics, String name, String what, MemoryBudget budget) {
        metrics.gauge(name + "_used_bytes", "Bytes in use of " + what + ".", budget::usedBytes);
        metrics.gauge(name + "_limit_bytes", "The budget for " + what + ".", budget::capacityBytes);
        metrics.gauge(name + "_waiting", "Evaluations that wait for " + what + ".", budget::waiting);
        metrics.gauge(
                name + "_refused",
                "Evaluations that did not get " + what + " since the server started.",
                budget::refused);
    }
}
