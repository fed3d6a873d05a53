package io.portcullis.evaluator.host.session;

import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Describes a YAML error in one line, without an excerpt of the document. */
final class YamlProblem {

    private YamlProblem() {}

    static String of(YAMLException e) {
        if (!(e instanceof MarkedYAMLException marked) || marked.getProblemMark() == null) {
            return "it is too large, nested too deeply or refers to parts of itself";
        }
        var mark = marked.getProblemMark();
        return "%s at line %d column %d".formatted(marked.getProblem(), mark.getLine() + 1, mark.getColumn() + 1);
    }
}
