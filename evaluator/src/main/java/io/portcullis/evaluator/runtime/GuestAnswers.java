package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import io.portcullis.evaluator.json.JsonTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Parses the answers of waPC and WASI guests. Strict about types and duplicate keys; ignores unknown keys. */
public final class GuestAnswers {

    private GuestAnswers() {}

    /** @throws JsonException if the bytes are not a ValidationResponse */
    public static ValidationResponse validation(byte[] json) {
        return new ValidationReader(json).read();
    }

    /** @throws JsonException if the bytes are not a SettingsValidationResponse */
    public static SettingsOutcome settings(byte[] json) {
        var in = new JsonScanner(json);
        Boolean valid = null;
        Optional<String> message = Optional.empty();
        in.enterObject("struct SettingsValidationResponse");
        var seen = new HashSet<String>();
        for (var key = in.nextKey(); key != null; key = in.nextKey()) {
            requireFirst(key, seen, in);
            switch (key) {
                case "valid" -> valid = in.readBoolean();
                case "message" -> message = text(in);
                default -> in.skipValue();
            }
        }
        if (valid == null) {
            throw in.shape("missing field `valid`");
        }
        in.finish();
        return valid ? new SettingsOutcome.Valid() : new SettingsOutcome.Invalid(message);
    }

    /** Rejects duplicate keys, because an answer with a duplicate key is ambiguous. */
    private static void requireFirst(String key, Set<String> seen, JsonScanner in) {
        if (!seen.add(key)) {
            throw in.shape("duplicate field `" + (key.length() > 50 ? key.substring(0, 50) + "…" : key) + "`");
        }
    }

    private static Optional<String> text(JsonScanner in) {
        return in.skipNull() ? Optional.empty() : Optional.of(in.readString());
    }

    private static final class ValidationReader {
        private final byte[] json;
        private final JsonScanner in;
        private @Nullable Boolean accepted;
        private Optional<String> message = Optional.empty();
        private Optional<Integer> code = Optional.empty();
        private Optional<byte[]> mutatedObject = Optional.empty();
        private @Nullable Map<String, String> auditAnnotations;
        private @Nullable List<String> warnings;

        ValidationReader(byte[] json) {
            this.json = json;
            this.in = new JsonScanner(json);
        }

        ValidationResponse read() {
            in.enterObject("struct ValidationResponse");
            var seen = new HashSet<String>();
            for (var key = in.nextKey(); key != null; key = in.nextKey()) {
                requireFirst(key, seen, in);
                switch (key) {
                    case "accepted" -> accepted = in.readBoolean();
                    case "message" -> message = text(in);
                    case "code" -> code = in.skipNull() ? Optional.empty() : Optional.of(in.readU16());
                    case "mutated_object" -> mutatedObject = in.skipNull() ? Optional.empty() : Optional.of(range());
                    case "audit_annotations" -> auditAnnotations = in.skipNull() ? null : texts();
                    case "warnings" -> warnings = in.skipNull() ? null : list();
                    default -> in.skipValue();
                }
            }
            if (accepted == null) {
                throw in.shape("missing field `accepted`");
            }
            in.finish();
            return new ValidationResponse(accepted, message, code, mutatedObject, auditAnnotations, warnings);
        }

        private byte[] range() {
            int start = in.position();
            in.skipValue();
            return Arrays.copyOfRange(json, start, in.position());
        }

        private Map<String, String> texts() {
            var map = new TreeMap<String, String>(JsonTree.KEY_ORDER);
            in.enterObject("a map");
            for (var key = in.nextKey(); key != null; key = in.nextKey()) {
                if (map.put(key, in.readString()) != null) {
                    throw in.shape("duplicate field in `audit_annotations`");
                }
            }
            return map;
        }

        private List<String> list() {
            var items = new ArrayList<String>();
            in.enterList("a sequence");
            while (in.nextItem()) {
                items.add(in.readString());
            }
            return items;
        }
    }
}
