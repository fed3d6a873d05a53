package io.portcullis.evaluator.host;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldMasksTest {

    private static final String OBJECT = """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},
             "spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}],"nodeName":"n"},
             "status":{"phase":"Running"}}""";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status.phase                     | {'status':{'phase':'Running'}}",
                "spec.containers.image            | {'spec':{'containers':[{'image':'i'},{'image':'j'}]}}",
                "spec,spec.nodeName               | {'spec':{'nodeName':'n'}}",
                "metadata.name                    | {}",
                "spec.missing                     | {'spec':{}}",
                "status.phase.deeper              | {'status':{'phase':'Running'}}",
            })
    void keepsRequestedFieldsAndTheIdentity(String masks, String expected) {
        var object = HostJson.read(OBJECT.getBytes(StandardCharsets.UTF_8), ObjectNode.class);

        var masked = FieldMasks.of(List.of(masks.split(","))).apply(object);

        var identity = "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{'a':'b'}}";
        assertThatJson(masked).isEqualTo(identity + (expected.equals("{}") ? "}" : "," + expected.substring(1)));
    }

    @Test
    void keepsEverythingWithoutMasks() {
        var object = HostJson.read(OBJECT.getBytes(StandardCharsets.UTF_8), ObjectNode.class);

        assertThatJson(FieldMasks.of(List.of()).apply(object)).isEqualTo(OBJECT);
    }
}
