package io.portcullis.evaluator.rego.builtin.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import io.portcullis.evaluator.testing.Opa;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regenerates the vectors with the real {@code opa}; {@code -Dgolden.update=true} writes them. */
class BuiltinVectorsIT {

    @Test
    void vectorsEqualTheResultsOfOpa(@TempDir Path directory) throws Exception {
        var opa = Opa.orSkip();
        var vectors = BuiltinVector.all();

        var results = evaluate(opa, vectors, directory);

        var fresh = IntStream.range(0, vectors.size())
                .mapToObj(i -> new BuiltinVector(
                        vectors.get(i).name(),
                        vectors.get(i).operands(),
                        Optional.ofNullable(results.fields().get(RegoValue.of("r" + i)))
                                .map(ValueWriter::json)
                                .orElse(BuiltinVector.UNDEFINED)))
                .toList();
        if (Boolean.getBoolean("golden.update")) {
            write(fresh);
        }
        for (int i = 0; i < fresh.size(); i++) {
            assertThat(vectors.get(i).agrees(fresh.get(i).expected()))
                    .as(
                            "%s%s is now %s",
                            vectors.get(i).name(),
                            vectors.get(i).operands(),
                            fresh.get(i).expected())
                    .isTrue();
        }
    }

    private static ObjectValue evaluate(Path opa, List<BuiltinVector> vectors, Path directory)
            throws IOException, InterruptedException {
        var rego = new StringBuilder("package cases\n");
        for (int i = 0; i < vectors.size(); i++) {
            var operands = vectors.get(i).operands();
            rego.append("r%d := %s(%s)\n"
                    .formatted(i, vectors.get(i).name(), operands.substring(1, operands.length() - 1)));
        }
        var file = Files.writeString(directory.resolve("cases.rego"), rego);
        var process = new ProcessBuilder(
                        opa.toString(), "eval", "--v0-compatible", "-f", "json", "-d", file.toString(), "data.cases")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = ValueParser.parse(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(process.waitFor()).as(output::toString).isZero();
        var result =
                (ObjectValue) ((ArrayValue) field(output, "result")).items().getFirst();
        var expression = ((ArrayValue) field(result, "expressions")).items().getFirst();
        return (ObjectValue) field(expression, "value");
    }

    private static RegoValue field(RegoValue object, String key) {
        return Objects.requireNonNull(((ObjectValue) object).fields().get(RegoValue.of(key)), key);
    }

    private static void write(List<BuiltinVector> vectors) throws IOException {
        var text = new StringBuilder(Files.readAllLines(BuiltinVector.FILE).getFirst()).append('\n');
        vectors.forEach(vector -> text.append(vector.name())
                .append('\t')
                .append(vector.operands())
                .append('\t')
                .append(vector.expected())
                .append('\n'));
        Files.writeString(BuiltinVector.FILE, text);
    }
}
