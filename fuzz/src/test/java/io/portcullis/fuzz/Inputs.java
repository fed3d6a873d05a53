package io.portcullis.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What fuzz targets share: turning bytes into arguments, and reporting a broken invariant. */
public final class Inputs {

    private static final JsonMapper STRICT = mapper(true);
    private static final JsonMapper LENIENT = mapper(false);

    private Inputs() {}

    /** Without limits on length and depth: those are ours to set. */
    private static JsonMapper mapper(boolean refusesDuplicates) {
        var factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(Integer.MAX_VALUE)
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, refusesDuplicates)
                .build();
        return JsonMapper.builder(factory)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** The bytes as text; bytes that are not UTF-8 become replacement characters. */
    public static String text(byte[] input) {
        return new String(input, UTF_8);
    }

    public static boolean isUtf8(byte[] input) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(input));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** What Jackson reads, as the second opinion on JSON; empty when it refuses. Duplicate keys are refused. */
    public static Optional<JsonNode> jackson(byte[] input) {
        return read(STRICT, input);
    }

    /** The same, but of duplicate keys the last one counts. */
    public static Optional<JsonNode> jacksonWithDuplicates(byte[] input) {
        return read(LENIENT, input);
    }

    private static Optional<JsonNode> read(JsonMapper mapper, byte[] input) {
        // Jackson guesses the encoding from the first bytes; JSON between systems is UTF-8.
        try (var parser = mapper.createParser(new InputStreamReader(new ByteArrayInputStream(input), UTF_8))) {
            JsonNode tree = mapper.readTree(parser);
            return tree == null || parser.nextToken() != null ? Optional.empty() : Optional.of(tree);
        } catch (NumberFormatException e) {
            // The exponent is too large for a BigDecimal; a double becomes infinite.
            return read(
                    mapper.rebuild()
                            .disable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                            .build(),
                    input);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Cuts the input at its first zero byte: two arguments. */
    public static List<byte[]> pair(byte[] input) {
        for (int at = 0; at < input.length; at++) {
            if (input[at] == 0) {
                return List.of(Arrays.copyOf(input, at), Arrays.copyOfRange(input, at + 1, input.length));
            }
        }
        return List.of(input, new byte[0]);
    }

    /** Reports a finding unless the invariant holds. */
    public static void check(boolean holds, String invariant) {
        if (!holds) {
            throw new AssertionError("invariant broken: " + invariant);
        }
    }
}
