package io.portcullis.server.standalone;

import io.portcullis.api.policies.PoliciesFile;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.RoutedPolicy;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import io.portcullis.server.evaluation.routing.RoutingTable;
import io.portcullis.server.source.PolicyLoadState;
import io.portcullis.server.source.PolicyLoadState.Phase;
import io.portcullis.server.standalone.Preparation.Outcome;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the routing table match a {@code policies.yml}. It prepares changed entries in parallel and then swaps the whole
 * table. An entry that cannot be prepared keeps its last good generation. Only one thread at a time may call {@link #apply}
 * and {@link #retryTemporaryFailures}. Any thread may call {@link #states}.
 */
public final class StandalonePolicies {

    private static final Logger log = LoggerFactory.getLogger(StandalonePolicies.class);

    /** The state of one id. The server serves {@code good}; without it, requests are rejected with {@code failure}. */
    private record PolicyRecord(
            @Nullable PolicyEntry entry,
            @Nullable ServablePolicy good,
            Outcome.@Nullable Failed failure,
            PolicyLoadState state) {

        boolean isServedBy(PolicyRecord successor) {
            return good != null && successor.good != null && good.revision().equals(successor.good.revision());
        }
    }

    private record ServablePolicy(RoutedPolicy.Loaded served, String digest) {

        Revision revision() {
            return served.revision();
        }
    }

    private final Preparation preparation;
    private final EvaluationEnvironment environment;
    private final ExecutorService threads;
    private final Clock clock;
    private Map<String, PolicyRecord> records = new TreeMap<>();
    private volatile List<PolicyLoadState> states = List.of();

    /** @param threads platform threads, because preparing a policy runs its guest */
    StandalonePolicies(
            Preparation preparation, EvaluationEnvironment environment, ExecutorService threads, Clock clock) {
        this.preparation = preparation;
        this.environment = environment;
        this.threads = threads;
        this.clock = clock;
    }

    /** Returns the states of all entries, sorted by id. */
    public List<PolicyLoadState> states() {
        return states;
    }

    /** Prepares the entries that differ from the last call, and serves the result. */
    void apply(PoliciesFile file) throws InterruptedException {
        var next = new TreeMap<String, PolicyRecord>();
        var pending = new TreeMap<String, PolicyEntry>();
        file.entries().forEach((id, entry) -> {
            var previous = records.get(id);
            if (previous != null && entry.equals(previous.entry())) {
                next.put(id, previous);
            } else {
                pending.put(id, entry);
            }
        });
        file.problems().forEach((id, problem) -> next.put(id, unreadable(id, problem)));
        next.putAll(prepare(pending));
        serve(next);
    }

    /** Retries entries whose failure may be temporary. */
    void retryTemporaryFailures() throws InterruptedException {
        var pending = new TreeMap<String, PolicyEntry>();
        records.forEach((id, policy) -> {
            if (policy.entry() != null
                    && policy.failure() != null
                    && policy.failure().mayRetry().getAsBoolean()) {
                pending.put(id, policy.entry());
            }
        });
        if (!pending.isEmpty()) {
            var next = new TreeMap<>(records);
            next.putAll(prepare(pending));
            serve(next);
        }
    }

    private Map<String, PolicyRecord> prepare(Map<String, PolicyEntry> entries) throws InterruptedException {
        showAsLoading(entries);
        var tasks = new ArrayList<Callable<Outcome>>();
        entries.forEach((id, entry) -> tasks.add(() -> preparation.prepare(id, entry)));
        var outcomes = threads.invokeAll(tasks);
        var prepared = new TreeMap<String, PolicyRecord>();
        var position = 0;
        for (var entry : entries.entrySet()) {
            prepared.put(entry.getKey(), recordOf(entry.getKey(), entry.getValue(), outcomes.get(position++)));
        }
        return prepared;
    }

    /** Shows new generations as loading during the preparation. */
    private void showAsLoading(Map<String, PolicyEntry> entries) {
        var shown = new TreeMap<String, PolicyLoadState>();
        records.forEach((id, policy) -> shown.put(id, policy.state()));
        entries.forEach((id, entry) -> shown.put(
                id, state(id, generation(id, entry), goodOf(id), entry.mode(), Phase.LOADING, Optional.empty())));
        states = List.copyOf(shown.values());
    }

    private PolicyRecord recordOf(String id, PolicyEntry entry, Future<Outcome> outcome) throws InterruptedException {
        var generation = generation(id, entry);
        return switch (outcomeOf(id, outcome)) {
            case Outcome.Ready(var policy, var digest) -> {
                var good = new ServablePolicy(
                        new RoutedPolicy.Loaded(new Revision(id, generation, entry.mode()), policy), digest);
                log.atInfo()
                        .addKeyValue("policy_id", id)
                        .addKeyValue("generation", generation)
                        .addKeyValue("digest", digest)
                        .log("policy loaded");
                yield new PolicyRecord(
                        entry, good, null, state(id, generation, good, entry.mode(), Phase.ACTIVE, Optional.empty()));
            }
            case Outcome.Failed failed -> failed(id, entry, generation, entry.mode(), failed);
        };
    }

    private static Outcome outcomeOf(String id, Future<Outcome> outcome) throws InterruptedException {
        try {
            return outcome.get();
        } catch (ExecutionException e) {
            log.atError().setCause(e).addKeyValue("policy_id", id).log("policy could not be prepared");
            return new Outcome.Failed(
                    String.valueOf(e.getCause()), "bootstrap failure: " + id + ": " + e.getCause(), () -> false);
        }
    }

    private PolicyRecord unreadable(String id, String problem) {
        var previous = records.get(id);
        var generation = previous == null ? 1 : previous.state().generation();
        var mode = previous == null ? PolicyMode.PROTECT : previous.state().mode();
        return failed(
                id, null, generation, mode, new Outcome.Failed(problem, "bootstrap failure: " + problem, () -> false));
    }

    private PolicyRecord failed(
            String id, @Nullable PolicyEntry entry, long generation, PolicyMode mode, Outcome.Failed failed) {
        var good = goodOf(id);
        log.atError()
                .addKeyValue("policy_id", id)
                .addKeyValue("generation", generation)
                .addKeyValue(
                        "served", good == null ? "nothing" : good.revision().generation())
                .addKeyValue("error", failed.cause())
                .log("policy not loaded");
        return new PolicyRecord(
                entry, good, failed, state(id, generation, good, mode, Phase.FAILED, Optional.of(failed.cause())));
    }

    /** Returns the generation of an entry. A retry of the same entry keeps its generation. */
    private long generation(String id, PolicyEntry entry) {
        var previous = records.get(id);
        if (previous == null) {
            return 1;
        }
        return entry.equals(previous.entry())
                ? previous.state().generation()
                : previous.state().generation() + 1;
    }

    private @Nullable ServablePolicy goodOf(String id) {
        var previous = records.get(id);
        return previous == null ? null : previous.good();
    }

    private PolicyLoadState state(
            String id,
            long generation,
            @Nullable ServablePolicy good,
            PolicyMode mode,
            Phase phase,
            Optional<String> lastError) {
        return new PolicyLoadState(
                id,
                generation,
                good == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(good.revision().generation()),
                Optional.ofNullable(good).map(ServablePolicy::digest),
                mode,
                phase,
                clock.instant(),
                lastError);
    }

    private void serve(Map<String, PolicyRecord> next) {
        var served = new ArrayList<RoutedPolicy>();
        next.forEach((id, policy) -> {
            if (policy.good() != null) {
                served.add(policy.good().served());
            } else if (policy.failure() != null) {
                var revision = new Revision(
                        id, policy.state().generation(), policy.state().mode());
                served.add(new RoutedPolicy.Broken(revision, policy.failure().rejection()));
            }
        });
        var previous = records;
        records = next;
        states = next.values().stream().map(PolicyRecord::state).toList();
        environment.swap(new RoutingTable(served));
        retire(previous, next);
    }

    /** Closes removed policies. Call after the swap: new requests do not find them, and running evaluations finish. */
    private static void retire(Map<String, PolicyRecord> previous, Map<String, PolicyRecord> next) {
        previous.forEach((id, policy) -> {
            var successor = next.get(id);
            if (policy.good() != null && (successor == null || !policy.isServedBy(successor))) {
                policy.good().served().policy().close();
                log.atInfo()
                        .addKeyValue("policy_id", id)
                        .addKeyValue("generation", policy.good().revision().generation())
                        .log("policy retired");
            }
        });
    }
}
