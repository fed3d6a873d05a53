package io.portcullis.api.condition;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When each condition last changed: the only thing that the previous status is ever asked for. */
public final class Transitions {

    private Transitions() {}

    /** The conditions with their transition times; one whose status is unchanged keeps the time it had. */
    public static List<Condition> stamp(List<Condition> conditions, List<Condition> previous, Instant now) {
        Map<Condition.Key, Condition> before = new HashMap<>();
        previous.forEach(condition -> before.put(condition.key(), condition));
        var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return conditions.stream()
                .map(condition -> {
                    var old = before.get(condition.key());
                    return old != null && old.status() == condition.status() && old.lastTransitionTime() != null
                            ? condition.at(old.lastTransitionTime())
                            : condition.at(time);
                })
                .toList();
    }
}
