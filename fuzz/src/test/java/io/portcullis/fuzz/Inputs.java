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

/** Helpers of fuzz targets: convert bytes into arguments and report broken invariants. */
public final class Inputs {

    private static final JsonMapper STRICT = mapper(true);
    private static final JsonMapper LENIENT = mapper(false);

    private Inputs() {}

    /** Creates a mapper without limits on length and depth, because the tested parsers have their own limits. */
    private static JsonMapper mapper(boolean rejectsDuplicates) {
        var factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(Integer.MAX_VALUE)
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, rejectsDuplicates)
                .build();
        return JsonMapper.builder(factory)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** Returns the bytes as text. Bytes that are not UTF-8 become replacement characters. */
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

    /** Parses JSON with Jackson, for comparison. Returns empty for invalid JSON and for duplicate keys. */
    public static Optional<JsonNode> jackson(byte[] input) {
        return read(STRICT, input);
    }

    /** Parses JSON with Jackson. Of duplicate keys the last one counts. */
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

    /** Splits the input at its first zero byte into two arguments. */
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
