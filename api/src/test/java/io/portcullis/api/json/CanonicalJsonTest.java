package io.portcullis.api.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"b\":1,\"a\":{\"d\":2,\"c\":3}} | {\"a\":{\"c\":3,\"d\":2},\"b\":1}",
                "[ 3, 1, 2 ] | [3,1,2]",
                "1.0 | 1",
                "1e3 | 1000",
                "1.50 | 1.5",
                "12345678901234567890 | 12345678901234567890",
                "null | null",
                "\"a\\u0041\" | \"aA\"",
                "{\"a\":[{\"z\":true,\"y\":null}]} | {\"a\":[{\"y\":null,\"z\":true}]}",
            })
    void equalValuesHaveTheSameText(String written, String canonical) throws JsonProcessingException {
        assertThat(CanonicalJson.text(new JsonMapper().readTree(written))).isEqualTo(canonical);
    }
}
