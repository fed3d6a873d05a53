package io.portcullis.kwctl.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.cli.CommandException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatchedObjectTest {

    private static final JsonMapper JSON = new JsonMapper();

    private static byte[] utf8(String patch) {
        return patch.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'a':1} | [{'op':'add','path':'/b','value':{'c':[]}}] | {'a':1,'b':{'c':[]}}",
                "{'a':1} | [{'op':'replace','path':'/a','value':null}] | {'a':null}",
                "{'a':1,'b':2} | [{'op':'remove','path':'/a'}] | {'b':2}",
                "{'x/y':{'~':1}} | [{'op':'replace','path':'/x~1y/~0','value':2}] | {'x/y':{'~':2}}",
                "{'a':[1,2,3]} | [{'op':'remove','path':'/a/1'},{'op':'remove','path':'/a/1'}] | {'a':[1]}",
                "{'a':[1]} | [{'op':'add','path':'/a/1','value':2},{'op':'add','path':'/a/-','value':3}] | {'a':[1,2,3]}",
                "{'a':[1]} | [{'op':'add','path':'/a/0','value':0},{'op':'replace','path':'/a/1','value':9}] | {'a':[0,9]}",
                "{'a':[{'b':1}]} | [{'op':'replace','path':'/a/0/b','value':2}] | {'a':[{'b':2}]}",
                "{'a':1} | [{'op':'replace','path':'','value':[1]}] | [1]",
                "{'a':1} | [] | {'a':1}",
            })
    void appliesPatches(String object, String patch, String expected) throws Exception {
        assertThat(PatchedObject.of(JSON.readTree(utf8(object)), utf8(patch))).isEqualTo(JSON.readTree(utf8(expected)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{'op':'replace','path':'/none','value':1}]",
                "[{'op':'remove','path':'/none'}]",
                "[{'op':'add','path':'/none/x','value':1}]",
                "[{'op':'add','path':'/list/7','value':1}]",
                "[{'op':'add','path':'/list/x','value':1}]",
                "[{'op':'remove','path':'/list/1'}]",
                "[{'op':'replace','path':'/list/1','value':1}]",
                "[{'op':'move','from':'/list','path':'/other'}]",
                "[{'path':'/list'}]",
                "nonsense",
            })
    void rejectsPatchesThatDoNotMatchTheObject(String patch) {
        assertThatThrownBy(() -> PatchedObject.of(JSON.readTree("{\"list\":[0]}"), utf8(patch)))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("the policy's patch");
    }

    @ParameterizedTest
    @ValueSource(strings = "[{'op':'replace','path':'/a','value':2}]")
    void doesNotChangeTheOriginalObject(String patch) throws Exception {
        var object = JSON.readTree("{\"a\":1}");

        PatchedObject.of(object, utf8(patch));

        assertThat(object).isEqualTo(JSON.readTree("{\"a\":1}"));
    }
}
