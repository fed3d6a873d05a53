package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.evaluator.json.JsonTree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonPatchTest {

    private static final List<String> KEYS = List.of("a", "b", "a/b", "c~d", "", "ä", "\uffee", "😀");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"hello\":\"world\"}|{\"ciao\":\"mondo\",\"hello\":\"world\"}|[{\"op\":\"add\",\"path\":\"/ciao\",\"value\":\"mondo\"}]",
                "[\"hello\",\"bye\",\"hi\"]|[\"hello\"]|[{\"op\":\"remove\",\"path\":\"/1\"},{\"op\":\"remove\",\"path\":\"/1\"}]",
                "[\"a\"]|[\"a\",\"b\",\"c\"]|[{\"op\":\"add\",\"path\":\"/1\",\"value\":\"b\"},{\"op\":\"add\",\"path\":\"/2\",\"value\":\"c\"}]",
                "{\"a\":{\"b\":1}}|{\"a\":[1]}|[{\"op\":\"replace\",\"path\":\"/a\",\"value\":[1]}]",
                "{\"x\":1,\"y\":2}|{\"a\":0,\"y\":3}|[{\"op\":\"add\",\"path\":\"/a\",\"value\":0},{\"op\":\"replace\",\"path\":\"/y\",\"value\":3},{\"op\":\"remove\",\"path\":\"/x\"}]",
                "{\"a/b\":1}|{\"a/b\":2}|[{\"op\":\"replace\",\"path\":\"/a~1b\",\"value\":2}]",
                "{\"a~b\":1}|{\"a~b\":2}|[{\"op\":\"replace\",\"path\":\"/a~0b\",\"value\":2}]",
                "1|{}|[{\"op\":\"replace\",\"path\":\"\",\"value\":{}}]",
                "{\"a\":1}|{\"a\":1.0}|[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1.0}]",
                "{\"a\":null}|{\"a\":0}|[{\"op\":\"replace\",\"path\":\"/a\",\"value\":0}]",
                "{}|{\"a\":{\"z\":1,\"b\":2}}|[{\"op\":\"add\",\"path\":\"/a\",\"value\":{\"b\":2,\"z\":1}}]",
                "[1,2,3]|[2,3]|[{\"op\":\"replace\",\"path\":\"/0\",\"value\":2},{\"op\":\"replace\",\"path\":\"/1\",\"value\":3},{\"op\":\"remove\",\"path\":\"/2\"}]",
            })
    void equalsThePatchOfKubewarden(String left, String right, String patch) {
        assertThat(between(left, right)).isEqualTo(patch);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{}|{}",
                "{\"a\":1,\"b\":[1,null]}|{\"b\":[1,null],\"a\":1}",
                "1.50|1.5",
                "18446744073709551615|18446744073709551615"
            })
    void isEmptyForEqualDocuments(String left, String right) {
        assertThat(JsonPatch.between(parse(left), parse(right))).isEmpty();
    }

    @Test
    void sortsKeysByCodePoint() {
        assertThat(List.of("😀", "\uffee", "z", "").stream().sorted(JsonTree.KEY_ORDER))
                .containsExactly("", "z", "\uffee", "😀");
    }

    @Test
    void turnsTheLeftDocumentIntoTheRight() {
        long seed = Long.getLong("seed", System.nanoTime());
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);

        for (int i = 0; i < 5_000; i++) {
            var left = document(random, 4);
            var right = random.nextBoolean() ? document(random, 4) : mutated(left, random);
            var patch = JsonPatch.between(left, right);

            var patched = patch.map(bytes -> PatchApplier.apply(left, JsonTree.parse(bytes)))
                    .orElse(left);
            assertThat(patched).as("seed %d, %s to %s", seed, left, right).isEqualTo(right);
        }
    }

    private static JsonNode document(RandomGenerator random, int depth) {
        var nodes = JsonNodeFactory.instance;
        return switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0 -> nodes.nullNode();
            case 1 -> nodes.booleanNode(random.nextBoolean());
            case 2 -> nodes.numberNode(random.nextInt(3));
            case 3 -> nodes.numberNode((double) random.nextInt(3));
            case 4 -> nodes.textNode(KEYS.get(random.nextInt(KEYS.size())));
            case 5 -> {
                var list = nodes.arrayNode();
                for (int i = random.nextInt(5); i > 0; i--) {
                    list.add(document(random, depth - 1));
                }
                yield list;
            }
            default -> {
                var object = nodes.objectNode();
                for (int i = random.nextInt(5); i > 0; i--) {
                    object.set(KEYS.get(random.nextInt(KEYS.size())), document(random, depth - 1));
                }
                yield object;
            }
        };
    }

    private static JsonNode mutated(JsonNode original, RandomGenerator random) {
        if (original.isArray() && !original.isEmpty()) {
            var copy = original.<com.fasterxml.jackson.databind.node.ArrayNode>deepCopy();
            int at = random.nextInt(copy.size());
            return random.nextBoolean() ? copy.set(at, mutated(copy.get(at), random)) : removed(copy, at);
        }
        if (original.isObject()) {
            return original.<com.fasterxml.jackson.databind.node.ObjectNode>deepCopy()
                    .set(KEYS.get(random.nextInt(KEYS.size())), document(random, 1));
        }
        return document(random, 1);
    }

    private static JsonNode removed(com.fasterxml.jackson.databind.node.ArrayNode list, int at) {
        list.remove(at);
        return list;
    }

    private static String between(String left, String right) {
        return new String(JsonPatch.between(parse(left), parse(right)).orElseThrow(), StandardCharsets.UTF_8);
    }

    private static JsonNode parse(String json) {
        return JsonTree.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
