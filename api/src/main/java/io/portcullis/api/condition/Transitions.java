package io.portcullis.api.condition;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sets the transition times of conditions. Nothing else is carried over from the previous status. */
public final class Transitions {

    private Transitions() {}

    /** Returns the conditions with transition times. A condition with an unchanged status keeps its previous time. */
    public static List<Condition> stamp(List<Condition> conditions, List<Condition> previous, Instant now) {
        Map<Condition.Key, Condition> previousByKey = new HashMap<>();
        previous.forEach(condition -> previousByKey.put(condition.key(), condition));
        var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return conditions.stream()
                .map(condition -> {
                    var old = previousByKey.get(condition.key());
                    return old != null && old.status() == condition.status() && old.lastTransitionTime() != null
                            ? condition.at(old.lastTransitionTime())
                            : condition.at(time);
                })
                .toList();
    }
}
