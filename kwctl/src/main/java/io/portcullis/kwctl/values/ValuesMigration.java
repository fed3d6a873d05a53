package io.portcullis.kwctl.values;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.process.args.SimilarWords;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values of Kubewarden's charts, converted for our charts.
 *
 * @param values for each of our charts, in the order of installation; an empty object where the file has no values
 * @param changes one for each value of the file; unknown keys come first
 */
public record ValuesMigration(Map<TargetChart, ObjectNode> values, List<ValueChange> changes) {

    public ValuesMigration {
        values = Collections.unmodifiableMap(new EnumMap<>(values));
        changes = List.copyOf(changes);
    }

    /** @param merged all values, as {@link #merge} returns them */
    public static ValuesMigration of(ObjectNode merged) {
        var found = new ArrayList<Value>();
        var changes = new ArrayList<ValueChange>();
        collect(merged, List.of(), found, changes);
        var writer = new Writer(chartsOf(found));
        found.forEach(value -> changes.add(writer.convert(value)));
        return new ValuesMigration(writer.values, changes);
    }

    /** Merges as {@code helm -f} does: mappings are merged, anything else replaces the value of the earlier file. */
    public static ObjectNode merge(ObjectNode earlier, ObjectNode later) {
        var merged = earlier.deepCopy();
        later.properties().forEach(field -> {
            var value =
                    merged.get(field.getKey()) instanceof ObjectNode one && field.getValue() instanceof ObjectNode two
                            ? merge(one, two)
                            : field.getValue();
            merged.set(field.getKey(), value);
        });
        return merged;
    }

    private record Value(List<String> path, JsonNode node, ValueRule rule) {}

    /** Adds the values that have a row to {@code found}, and all others to {@code changes}. */
    private static void collect(ObjectNode section, List<String> above, List<Value> found, List<ValueChange> changes) {
        var table = ValueTable.instance();
        for (var field : section.properties()) {
            var path = new ArrayList<>(above);
            path.add(field.getKey());
            var node = field.getValue();
            if (table.isSection(path) && node instanceof ObjectNode below) {
                collect(below, path, found, changes);
                continue;
            }
            var rule = table.rule(path);
            if (rule.isPresent()) {
                found.add(new Value(List.copyOf(path), node, rule.get()));
            } else if (table.isSection(path)) {
                var names = String.join(", ", new TreeSet<>(table.keysBelow(path)));
                changes.add(new ValueChange.Refused(
                        text(path),
                        "it is not a mapping, but Kubewarden's charts have keys below it",
                        "remove the value, or set one of: " + names));
            } else {
                changes.add(unknown(path, table.keysBelow(above)));
            }
        }
    }

    private static ValueChange unknown(List<String> path, Set<String> known) {
        var similar = SimilarWords.to(path.getLast(), new TreeSet<>(known));
        return new ValueChange.Refused(
                text(path),
                "neither Kubewarden's charts nor ours have this value",
                similar.map(name -> "did you mean " + name + "?").orElse("remove the value"));
    }

    /** The charts that the file is about: values that several charts share do not say. */
    private static Set<TargetChart> chartsOf(List<Value> values) {
        var charts = EnumSet.noneOf(TargetChart.class);
        values.stream()
                .filter(value -> !value.rule().isShared())
                .forEach(value -> charts.addAll(value.rule().charts()));
        return charts;
    }

    /** Control characters of a key must not reach a terminal. */
    private static String text(List<String> path) {
        return String.join(".", path).replaceAll("\\p{Cntrl}", "?");
    }

    /** Writes the values of one file. */
    private static final class Writer {

        private final Set<TargetChart> mentioned;
        private final EnumMap<TargetChart, ObjectNode> values = new EnumMap<>(TargetChart.class);

        Writer(Set<TargetChart> mentioned) {
            this.mentioned = mentioned;
            for (var chart : TargetChart.values()) {
                values.put(chart, JsonNodeFactory.instance.objectNode());
            }
        }

        ValueChange convert(Value value) {
            var key = text(value.path());
            return switch (value.rule().treatment()) {
                case Treatment.Taken() -> {
                    write(value, value.path(), value.node());
                    yield new ValueChange.Taken(key);
                }
                case Treatment.Moved(var to) -> {
                    var path = new ArrayList<>(List.of(to.split("\\.", -1)));
                    path.addAll(value.path()
                            .subList(value.rule().path().size(), value.path().size()));
                    write(value, path, value.node());
                    yield new ValueChange.Mapped(key, "becomes " + text(path));
                }
                case Treatment.Converted(var change, var conversion) -> {
                    var converted = conversion.apply(value.node());
                    write(value, value.path(), converted.orElse(value.node()));
                    yield converted.isPresent() ? new ValueChange.Mapped(key, change) : new ValueChange.Taken(key);
                }
                case Treatment.TakenIf(var acceptable, var why, var instead) -> {
                    if (!acceptable.test(value.node())) {
                        yield new ValueChange.Refused(key, why, instead);
                    }
                    write(value, value.path(), value.node());
                    yield new ValueChange.Taken(key);
                }
                case Treatment.Refused(var why, var instead, var hasNoEffect) ->
                    hasNoEffect.test(value.node())
                            ? new ValueChange.LeftOut(key)
                            : new ValueChange.Refused(key, why, instead);
            };
        }

        private void write(Value value, List<String> path, JsonNode node) {
            for (var chart : targets(value.rule())) {
                var section = values.computeIfAbsent(chart, _ -> JsonNodeFactory.instance.objectNode());
                for (var name : path.subList(0, path.size() - 1)) {
                    section = section.get(name) instanceof ObjectNode below ? below : section.putObject(name);
                }
                section.set(path.getLast(), node);
            }
        }

        /** A shared value goes to the charts that the file is about; to all of its charts if the file is about none of them. */
        private Set<TargetChart> targets(ValueRule rule) {
            var both = EnumSet.copyOf(rule.charts());
            both.retainAll(mentioned);
            return both.isEmpty() ? rule.charts() : both;
        }
    }
}
