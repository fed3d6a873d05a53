package io.portcullis.evaluator.rego.builtin;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a document. The score says how close it came: of several schemas that all fail, the problems of the
 * closest one are reported.
 */
final class SchemaResult {

    /** Where in the document, from the inside out. */
    record Place(String name, @Nullable Place parent) {

        static final Place ROOT = new Place("(Root)", null);

        Place child(String name) {
            return new Place(name, this);
        }

        /** Names with dots between them; the root only when there is nothing else. */
        String field() {
            if (parent == null) {
                return name;
            }
            return parent.parent == null ? name : parent.field() + "." + name;
        }
    }

    record Problem(String type, String field, String description) {}

    private final EvaluationScope scope;
    private final List<Problem> problems = new ArrayList<>();
    private int score;

    SchemaResult(EvaluationScope scope) {
        this.scope = scope;
    }

    boolean isValid() {
        return problems.isEmpty();
    }

    List<Problem> problems() {
        return problems;
    }

    void add(Place place, String type, String description) {
        var field = place.field();
        scope.produce(2L * (field.length() + description.length()) + type.length());
        problems.add(new Problem(type, field, description));
        score -= 2;
    }

    void merge(SchemaResult other) {
        scope.work(other.problems.size());
        problems.addAll(other.problems);
        score += other.score;
    }

    void passed() {
        score++;
    }

    /** The one that came closer, the earlier one when they are equal. */
    static SchemaResult closer(@Nullable SchemaResult best, SchemaResult next) {
        return best == null || next.score > best.score ? next : best;
    }
}
