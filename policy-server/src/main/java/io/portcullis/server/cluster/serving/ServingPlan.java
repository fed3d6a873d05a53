package io.portcullis.server.cluster.serving;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.lifecycle.Pause;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * What one replica does next for one revision, and what it says about it. A failed load never ends what is loaded.
 */
final class ServingPlan {

    private ServingPlan() {}

    /** What to do. */
    enum Work {
        NOTHING,
        LOAD,
        UNLOAD
    }

    /** What the slot is to hold. */
    sealed interface Report {

        /** As it is. */
        record Keep() implements Report {}

        record Say(Condition condition) implements Report {}

        /** We have nothing to do with this revision any more. */
        record Empty() implements Report {}
    }

    /** Why the last load failed, and the pause before the next one. */
    record Mishap(Reason reason, String message, int failures, Pause pause) {

        /** Whether the replica serves everything else instead of restarting: the module fails in every new process too. */
        boolean isModulesFault() {
            return reason == Reason.PREPARATION_FAILED;
        }
    }

    /** How the wanted content stands with what is loaded. */
    enum Held {
        NOTHING,
        /** The leader has since resolved other modules. */
        OUTDATED,
        EXACTLY
    }

    /** Who speaks. */
    record Speaker(int replica, String podUid) {}

    /**
     * What the replica knows of a revision.
     *
     * @param wanted it is enabled, and no younger one claims its address
     * @param initialized the leader is done with it
     * @param loading a task of ours works on it
     * @param said the condition in our slot, as it is stored
     * @param booting this replica has not been ready yet, so what is said may be of a process before it
     */
    record Facts(
            long generation,
            boolean wanted,
            boolean initialized,
            Held held,
            boolean loading,
            Optional<Mishap> mishap,
            Optional<Condition> said,
            boolean booting) {}

    /**
     * How a wanted revision stands, as far as readiness goes.
     *
     * @param active a webhook refers to it
     * @param claimed it is stored that this replica has it
     */
    record Standing(boolean active, boolean held, boolean claimed) {

        /** A module that cannot be prepared must not keep other policies from being served. */
        Standing orUnpreparable(boolean unpreparable) {
            return unpreparable ? new Standing(false, held, false) : this;
        }
    }

    /**
     * Whether requests may come: not without what webhooks refer to, and not while a process before this one is believed
     * to have something that this one has not loaded yet, since a webhook may move there on that word.
     */
    static boolean isComplete(Collection<Standing> wanted, boolean booting) {
        return wanted.stream().allMatch(one -> one.held() || !(one.active() || (booting && one.claimed())));
    }

    static Work work(Facts facts, Instant now) {
        if (!facts.wanted()) {
            return facts.held() == Held.NOTHING ? Work.NOTHING : Work.UNLOAD;
        }
        var mayLoad = facts.initialized()
                && !facts.loading()
                && facts.mishap().filter(last -> !last.pause().isOver(now)).isEmpty();
        return facts.held() != Held.EXACTLY && mayLoad ? Work.LOAD : Work.NOTHING;
    }

    /** To be asked after the work is done, and requests see it. */
    static Report report(Facts facts, Speaker speaker) {
        if (!facts.wanted()) {
            // First unloaded, then said.
            return facts.held() == Held.NOTHING && facts.said().isPresent() ? new Report.Empty() : new Report.Keep();
        }
        if (facts.held() == Held.EXACTLY) {
            return say(facts, speaker, Reason.POLICY_READY, Messages.POLICY_READY);
        }
        if (facts.mishap().isPresent()) {
            return say(
                    facts,
                    speaker,
                    facts.mishap().get().reason(),
                    facts.mishap().get().message());
        }
        if (facts.held() == Held.OUTDATED) {
            return new Report.Keep();
        }
        // A revision that is new needs no word that it is not loaded; one of which something else is said does.
        var isSilent = facts.said().isEmpty();
        var isUncertain = facts.said()
                .filter(said -> said.status() == ConditionStatus.UNKNOWN)
                .isPresent();
        if (!facts.booting() && (isSilent || isUncertain)) {
            return new Report.Keep();
        }
        return facts.initialized()
                ? say(facts, speaker, Reason.REPLICA_STARTING, "The replica is starting.")
                : say(facts, speaker, Reason.WAITING_FOR_INITIALIZATION, "The policy is not initialized yet.");
    }

    private static Report say(Facts facts, Speaker speaker, Reason reason, String message) {
        var condition = Condition.ofReplica(facts.generation(), speaker.replica(), reason.status(), reason, message)
                .reportedBy(speaker.podUid());
        return facts.said().filter(said -> isSame(said, condition)).isPresent()
                ? new Report.Keep()
                : new Report.Say(condition);
    }

    private static boolean isSame(Condition said, Condition wanted) {
        return said.status() == wanted.status()
                && said.reason().equals(wanted.reason())
                && said.message().equals(wanted.message())
                && String.valueOf(wanted.reporterUID()).equals(said.reporterUID());
    }
}
