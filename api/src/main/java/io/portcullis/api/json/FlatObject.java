package io.portcullis.api.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Collectors;

/**
 * Reads a flat JSON object with many fields as several small records. Each record takes the fields that it has components
 * for; the other fields are ignored.
 *
 * @param path path of the object in its resource, for messages
 */
public record FlatObject(String path, ObjectNode value) {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** A field has a value that its type does not allow. */
    public static final class MalformedException extends RuntimeException {

        private final String path;
        private final String problem;

        MalformedException(String path, String problem, Throwable cause) {
            super(path + ": " + problem, cause);
            this.path = path;
            this.problem = problem;
        }

        /** The path of the malformed field. */
        public String path() {
            return path;
        }

        /** The description of the error. */
        public String problem() {
            return problem;
        }
    }

    public <T> T read(Class<T> part) {
        try {
            return MAPPER.treeToValue(value, part);
        } catch (JsonMappingException e) {
            var field = e.getPath().stream()
                    .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                    .collect(Collectors.joining());
            throw new MalformedException(path + field, e.getOriginalMessage(), e);
        } catch (JsonProcessingException e) {
            throw new MalformedException(path, e.getOriginalMessage(), e);
        }
    }
}
