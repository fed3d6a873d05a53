package io.portcullis.lifecycle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is done to an installation, and when. Drawn before anything happens: the same seed gives the same schedule, however
 * the installation takes it. Every schedule has the same number of each kind of action, in another order.
 */
record ChaosSchedule(long seed, List<Planned> plan) {

    /** Whom a fault hits; who leads is found out at that time. */
    enum Victim {
        REPLICA_0,
        REPLICA_1,
        REPLICA_2,
        LEADING_REPLICA,
        CONTROLLER_0,
        CONTROLLER_1,
        LEADING_CONTROLLER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** What a user makes of a policy. */
    sealed interface Content {

        /** @param module which of the modules in the registry */
        record Good(String message, int module, boolean skipInitContainers) implements Content {}

        record RefusedSettings() implements Content {}

        record MissingModule() implements Content {}
    }

    /** One thing that happens. */
    sealed interface Action {

        record Change(String policy, Content content) implements Action {

            @Override
            public String toString() {
                return "change " + policy + " to " + content;
            }
        }

        record RollBack(String policy) implements Action {

            @Override
            public String toString() {
                return "roll back " + policy;
            }
        }

        record DeleteWebhook(String policy) implements Action {

            @Override
            public String toString() {
                return "delete the webhook of " + policy;
            }
        }

        record Kill(Victim victim) implements Action {

            @Override
            public String toString() {
                return "kill " + victim;
            }
        }

        /** Stopped in its tracks. */
        record Pause(Victim victim, Duration time) implements Action {

            @Override
            public String toString() {
                return "pause " + victim + " for " + time.toSeconds() + " s";
            }
        }

        /** Without the API server. */
        record Cut(Victim victim, Duration time) implements Action {

            @Override
            public String toString() {
                return "cut " + victim + " off for " + time.toSeconds() + " s";
            }
        }
    }

    /** @param at since the beginning */
    record Planned(Duration at, Action action) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%6.1f s  %s", at.toMillis() / 1000.0, action);
        }
    }

    private static final int GOOD_CHANGES = 14;
    private static final int REFUSED_SETTINGS = 3;
    private static final int MISSING_MODULES = 3;
    private static final int ROLLBACKS = 3;
    private static final int KILLS = 7;
    private static final int PAUSES = 3;
    private static final int CUTS = 2;
    private static final int WEBHOOK_DELETIONS = 2;

    private static final Duration LONGEST_GAP = Duration.ofSeconds(4);

    /** Shorter than any lease. */
    private static final Duration SHORT_FAULT = Duration.ofSeconds(8);

    /** Longer than a lease lasts, 15 s, and shorter than a replica's grace time, 60 s: after that the controller does not wait for it. */
    private static final Duration SHORTEST_LONG_FAULT = Duration.ofSeconds(17);

    private static final Duration LONGEST_FAULT = Duration.ofSeconds(28);

    ChaosSchedule {
        plan = List.copyOf(plan);
    }

    /**
     * Draws one.
     *
     * @param policies what users change; only the last one's webhook is deleted
     * @param modules how many there are in the registry
     */
    static ChaosSchedule draw(long seed, List<String> policies, int modules) {
        return new Drawing(new Random(seed), policies, modules).draw(seed);
    }

    private record Drawing(Random random, List<String> policies, int modules) {

        ChaosSchedule draw(long seed) {
            var actions = new ArrayList<Action>();
            // Those who hold a lease are to lose it, in every way.
            for (var leader : List.of(Victim.LEADING_REPLICA, Victim.LEADING_CONTROLLER)) {
                actions.add(new Action.Pause(leader, longFault()));
                actions.add(new Action.Cut(leader, longFault()));
                actions.add(new Action.Kill(leader));
            }
            add(actions, KILLS - 2, () -> new Action.Kill(anyone()));
            add(actions, PAUSES, () -> new Action.Pause(anyone(), fault()));
            add(actions, CUTS, () -> new Action.Cut(anyone(), fault()));
            add(actions, WEBHOOK_DELETIONS, () -> new Action.DeleteWebhook(policies.getLast()));
            add(actions, ROLLBACKS, () -> new Action.RollBack(anyPolicy()));
            add(actions, REFUSED_SETTINGS, () -> new Action.Change(anyPolicy(), new Content.RefusedSettings()));
            add(actions, MISSING_MODULES, () -> new Action.Change(anyPolicy(), new Content.MissingModule()));
            IntStream.range(0, GOOD_CHANGES)
                    .forEach(number -> actions.add(new Action.Change(
                            anyPolicy(),
                            new Content.Good("change-" + number, random.nextInt(modules), random.nextBoolean()))));
            Collections.shuffle(actions, random);
            var plan = new ArrayList<Planned>();
            var at = Duration.ZERO;
            for (var action : actions) {
                at = at.plusMillis(random.nextLong(LONGEST_GAP.toMillis()));
                plan.add(new Planned(at, action));
            }
            return new ChaosSchedule(seed, plan);
        }

        private static void add(List<Action> actions, int count, Supplier<Action> draw) {
            IntStream.range(0, count).forEach(_ -> actions.add(draw.get()));
        }

        private Victim anyone() {
            return any(List.of(Victim.values()));
        }

        private String anyPolicy() {
            return any(policies);
        }

        private <T> T any(List<T> several) {
            return several.get(random.nextInt(several.size()));
        }

        private Duration fault() {
            return random.nextInt(3) == 0
                    ? longFault()
                    : Duration.ofSeconds(1 + random.nextLong(SHORT_FAULT.toSeconds()));
        }

        private Duration longFault() {
            return SHORTEST_LONG_FAULT.plusSeconds(
                    random.nextLong(LONGEST_FAULT.minus(SHORTEST_LONG_FAULT).toSeconds()));
        }
    }

    @Override
    public String toString() {
        return plan.stream()
                .map(Planned::toString)
                .collect(Collectors.joining("\n", "-Dportcullis.seed=" + seed + "\n", ""));
    }
}
