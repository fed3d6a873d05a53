package io.portcullis.server.standalone;

import io.portcullis.api.policies.PoliciesFile;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.server.evaluation.Environment;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.evaluation.RoutedPolicy;
import io.portcullis.server.evaluation.RoutedPolicy.Revision;
import io.portcullis.server.standalone.Preparation.Outcome;
import io.portcullis.server.standalone.StandalonePolicyState.Phase;
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
 * Makes the environment match a {@code policies.yml}. Only what changed is prepared, in parallel; then everything is
 * swapped in at once. An entry that cannot be prepared keeps its last good generation. {@link #apply} and
 * {@link #retryPassing} are called by one thread at a time; {@link #states} by any.
 */
public final class StandalonePolicies {

    private static final Logger log = LoggerFactory.getLogger(StandalonePolicies.class);

    /** What is known of one id. {@code good} is what is served; without it {@code failure} is told to clients. */
    private record Known(
            @Nullable PolicyEntry entry,
            @Nullable Good good,
            Outcome.@Nullable Failed failure,
            StandalonePolicyState state) {

        boolean isServedBy(Known successor) {
            return good != null && successor.good != null && good.revision().equals(successor.good.revision());
        }
    }

    private record Good(Revision revision, LoadedPolicy policy, String digest) {}

    private final Preparation preparation;
    private final EvaluationEnvironment environment;
    private final ExecutorService threads;
    private final Clock clock;
    private Map<String, Known> known = new TreeMap<>();
    private volatile List<StandalonePolicyState> states = List.of();

    /** @param threads platform threads: preparing a policy runs it */
    StandalonePolicies(
            Preparation preparation, EvaluationEnvironment environment, ExecutorService threads, Clock clock) {
        this.preparation = preparation;
        this.environment = environment;
        this.threads = threads;
        this.clock = clock;
    }

    /** All entries, by id. */
    public List<StandalonePolicyState> states() {
        return states;
    }

    /** Prepares what differs from the last call and serves the result. */
    void apply(PoliciesFile file) throws InterruptedException {
        var next = new TreeMap<String, Known>();
        var pending = new TreeMap<String, PolicyEntry>();
        file.entries().forEach((id, entry) -> {
            var before = known.get(id);
            if (before != null && entry.equals(before.entry())) {
                next.put(id, before);
            } else {
                pending.put(id, entry);
            }
        });
        file.problems().forEach((id, problem) -> next.put(id, misread(id, problem)));
        next.putAll(prepare(pending));
        serve(next);
    }

    /** Tries again what failed for a reason that may have gone away. */
    void retryPassing() throws InterruptedException {
        var pending = new TreeMap<String, PolicyEntry>();
        known.forEach((id, policy) -> {
            if (policy.entry() != null
                    && policy.failure() != null
                    && policy.failure().mayRetry().getAsBoolean()) {
                pending.put(id, policy.entry());
            }
        });
        if (!pending.isEmpty()) {
            var next = new TreeMap<>(known);
            next.putAll(prepare(pending));
            serve(next);
        }
    }

    private Map<String, Known> prepare(Map<String, PolicyEntry> entries) throws InterruptedException {
        announce(entries);
        var tasks = new ArrayList<Callable<Outcome>>();
        entries.forEach((id, entry) -> tasks.add(() -> preparation.prepare(id, entry)));
        var outcomes = threads.invokeAll(tasks);
        var prepared = new TreeMap<String, Known>();
        var position = 0;
        for (var entry : entries.entrySet()) {
            prepared.put(entry.getKey(), judge(entry.getKey(), entry.getValue(), outcomes.get(position++)));
        }
        return prepared;
    }

    /** While it takes its time, the new generation is shown as loading. */
    private void announce(Map<String, PolicyEntry> entries) {
        var shown = new TreeMap<String, StandalonePolicyState>();
        known.forEach((id, policy) -> shown.put(id, policy.state()));
        entries.forEach((id, entry) -> shown.put(
                id, state(id, generation(id, entry), goodOf(id), entry.mode(), Phase.LOADING, Optional.empty())));
        states = List.copyOf(shown.values());
    }

    private Known judge(String id, PolicyEntry entry, Future<Outcome> outcome) throws InterruptedException {
        var generation = generation(id, entry);
        return switch (outcomeOf(id, outcome)) {
            case Outcome.Ready(var policy, var digest) -> {
                var good = new Good(new Revision(id, generation, entry.mode()), policy, digest);
                log.atInfo()
                        .addKeyValue("policy_id", id)
                        .addKeyValue("generation", generation)
                        .addKeyValue("digest", digest)
                        .log("policy loaded");
                yield new Known(
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

    private Known misread(String id, String problem) {
        var before = known.get(id);
        var generation = before == null ? 1 : before.state().generation();
        var mode = before == null ? PolicyMode.PROTECT : before.state().mode();
        return failed(
                id, null, generation, mode, new Outcome.Failed(problem, "bootstrap failure: " + problem, () -> false));
    }

    private Known failed(
            String id, @Nullable PolicyEntry entry, long generation, PolicyMode mode, Outcome.Failed failed) {
        var good = goodOf(id);
        log.atError()
                .addKeyValue("policy_id", id)
                .addKeyValue("generation", generation)
                .addKeyValue(
                        "served", good == null ? "nothing" : good.revision().generation())
                .addKeyValue("error", failed.cause())
                .log("policy not loaded");
        return new Known(
                entry, good, failed, state(id, generation, good, mode, Phase.FAILED, Optional.of(failed.cause())));
    }

    /** Counts definitions: the same entry tried again keeps its generation. */
    private long generation(String id, PolicyEntry entry) {
        var before = known.get(id);
        if (before == null) {
            return 1;
        }
        return entry.equals(before.entry())
                ? before.state().generation()
                : before.state().generation() + 1;
    }

    private @Nullable Good goodOf(String id) {
        var before = known.get(id);
        return before == null ? null : before.good();
    }

    private StandalonePolicyState state(
            String id, long generation, @Nullable Good good, PolicyMode mode, Phase phase, Optional<String> lastError) {
        return new StandalonePolicyState(
                id,
                generation,
                good == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(good.revision().generation()),
                Optional.ofNullable(good).map(Good::digest),
                mode,
                phase,
                clock.instant(),
                lastError);
    }

    private void serve(Map<String, Known> next) {
        var served = new ArrayList<RoutedPolicy>();
        next.forEach((id, policy) -> {
            if (policy.good() != null) {
                served.add(new RoutedPolicy.Loaded(
                        policy.good().revision(), policy.good().policy()));
            } else if (policy.failure() != null) {
                var revision = new Revision(
                        id, policy.state().generation(), policy.state().mode());
                served.add(new RoutedPolicy.Broken(revision, policy.failure().rejection()));
            }
        });
        var before = known;
        known = next;
        states = next.values().stream().map(Known::state).toList();
        environment.swap(new Environment(served));
        retire(before, next);
    }

    /** After the swap: nobody new finds them, and who is inside finishes. */
    private static void retire(Map<String, Known> before, Map<String, Known> next) {
        before.forEach((id, policy) -> {
            var successor = next.get(id);
            if (policy.good() != null && (successor == null || !policy.isServedBy(successor))) {
                policy.good().policy().close();
                log.atInfo()
                        .addKeyValue("policy_id", id)
                        .addKeyValue("generation", policy.good().revision().generation())
                        .log("policy retired");
            }
        });
    }
}
