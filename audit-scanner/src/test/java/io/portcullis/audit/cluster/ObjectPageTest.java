package io.portcullis.audit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectPageTest {

    private static ObjectPage read(String json, List<String> names) {
        return ObjectPage.read(
                json.replace('\'', '"').getBytes(StandardCharsets.UTF_8),
                object -> names.add(object.path("name").asText()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata': {'continue': 't', 'remainingItemCount': 7}, 'items': [{'name': 'a'}, {'name': 'b'}]} | a"
                        + " b | t | 7",
                "{'items': [{'name': 'a', 'items': [1]}], 'metadata': {'resourceVersion': '1'}}                    | a"
                        + "   | '' | 0",
                "{'kind': 'List', 'items': [], 'metadata': {}}                                                     |"
                        + " ''  | '' | 0",
                "{'items': null, 'metadata': {}}                                                                   |"
                        + " ''  | '' | 0",
            })
    void readsObjectsAndContinuation(String json, String names, String next, long remaining) {
        var found = new ArrayList<String>();

        assertThat(read(json, found)).isEqualTo(new ObjectPage(next, remaining));
        assertThat(String.join(" ", found)).isEqualTo(names);
    }

    /** Treating one of these as an empty list would remove the reports of all objects. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>",
                "[]",
                "{}",
                "{'kind': 'Status', 'metadata': {}}",
                "{'items': {'name': 'a'}}",
                "{'items': [{'name': 'a'}, 1]}",
                "{'items': [{'name': 'a'}, {'name'",
                "{'items': [{'name': 'a'}",
                "{'items': []",
            })
    void rejectsInputThatIsNotAList(String json) {
        assertThatThrownBy(() -> read(json, new ArrayList<>()))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("the API server answered something that is no list");
    }
}
