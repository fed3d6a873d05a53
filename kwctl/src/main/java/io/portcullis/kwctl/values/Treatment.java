package io.portcullis.kwctl.values;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** What our charts do with a value of Kubewarden's charts. */
sealed interface Treatment {

    /** The chart has the same key with the same meaning. */
    record Taken() implements Treatment {}

    /** The chart has the value under another key. */
    record Moved(String key) implements Treatment {}

    /**
     * The chart has the same key, and its value has another form.
     *
     * @param change what happens to the value, for the report
     * @param conversion returns nothing for a value that already has our form
     */
    record Converted(String change, Function<JsonNode, Optional<JsonNode>> conversion) implements Treatment {}

    /** The chart has the same key, but not every value has a meaning there. */
    record TakenIf(Predicate<JsonNode> acceptable, String why, String instead) implements Treatment {}

    /**
     * The value has no meaning in our charts.
     *
     * @param hasNoEffect whether the value may be left out silently, such as a default of Kubewarden's
     */
    record Refused(String why, String instead, Predicate<JsonNode> hasNoEffect) implements Treatment {}
}
