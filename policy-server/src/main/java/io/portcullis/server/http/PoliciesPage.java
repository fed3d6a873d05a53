package io.portcullis.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import io.portcullis.server.source.PolicyLoadState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** {@code GET /policies}: the state of every policy, as a JSON list. */
final class PoliciesPage {

    private static final JsonFactory FACTORY = new JsonFactory();

    private PoliciesPage() {}

    static byte[] render(List<PolicyLoadState> states) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = FACTORY.createGenerator(bytes)) {
            out.writeStartArray();
            for (var state : states) {
                out.writeStartObject();
                out.writeStringField("id", state.id());
                out.writeNumberField("generation", state.generation());
                out.writeFieldName("servedGeneration");
                if (state.served().isPresent()) {
                    out.writeNumber(state.served().getAsLong());
                } else {
                    out.writeNull();
                }
                out.writeFieldName("digest");
                out.writeString(state.digest().orElse(null));
                out.writeStringField("mode", state.mode().wireName());
                out.writeStringField("state", state.phase().wireName());
                out.writeStringField("since", state.since().toString());
                out.writeFieldName("lastError");
                out.writeString(state.lastError().orElse(null));
                out.writeEndObject();
            }
            out.writeEndArray();
        }
        return bytes.toByteArray();
    }
}
