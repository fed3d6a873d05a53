package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The problems of a document. The score is the closeness of the match: if all of several schemas fail, the problems of
 * the closest schema are reported.
 */
final class SchemaResult {

    /** A location in the document, linked to its parent. */
    record Place(String name, @Nullable Place parent) {

        static final Place ROOT = new Place("(Root)", null);

        Place child(String name) {
            return new Place(name, this);
        }

        /** Returns the names joined by dots; the root only if there is no other name. */
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
        scope.countResult(2L * (field.length() + description.length()) + type.length());
        problems.add(new Problem(type, field, description));
        score -= 2;
    }

    void merge(SchemaResult other) {
        scope.countSteps(other.problems.size());
        problems.addAll(other.problems);
        score += other.score;
    }

    void passed() {
        score++;
    }

    /** Returns the result with the higher score, or the earlier one if the scores are equal. */
    static SchemaResult closer(@Nullable SchemaResult best, SchemaResult next) {
        return best == null || next.score > best.score ? next : best;
    }
}
