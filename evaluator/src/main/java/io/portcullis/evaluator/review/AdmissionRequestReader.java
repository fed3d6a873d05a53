package io.portcullis.evaluator.review;

import io.portcullis.evaluator.EvaluationRequest.Admission;
import io.portcullis.evaluator.EvaluationRequest.GroupVersionName;
import io.portcullis.evaluator.json.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one AdmissionRequest and copies the part that policies may see: the keys of the policy contract that have a
 * value. Keeps the caller's order and copies values byte for byte. Policies with strict decoders fail on any other key.
 */
final class AdmissionRequestReader {

    /** The keys of the policy contract; required keys are in the order in which their absence is reported. */
    private enum Key {
        UID("uid", true),
        KIND("kind", true),
        RESOURCE("resource", true),
        OPERATION("operation", true),
        USER_INFO("userInfo", true),
        SUB_RESOURCE("subResource", false),
        REQUEST_KIND("requestKind", false),
        REQUEST_RESOURCE("requestResource", false),
        REQUEST_SUB_RESOURCE("requestSubResource", false),
        NAME("name", false),
        NAMESPACE("namespace", false),
        OBJECT("object", false),
        OLD_OBJECT("oldObject", false),
        OPTIONS("options", false),
        DRY_RUN("dryRun", false);

        private static final Map<String, Key> BY_NAME = new HashMap<>();

        static {
            for (var key : values()) {
                BY_NAME.put(key.wireName, key);
            }
        }

        private final String wireName;
        private final boolean required;

        Key(String wireName, boolean required) {
            this.wireName = wireName;
            this.required = required;
        }
    }

    private static final Set<String> USER_INFO_KEYS = Set.of("username", "uid", "groups", "extra");

    private final JsonScanner in;
    private final byte[] body;
    private final byte[] out;
    private int length;

    private final EnumMap<Key, String> texts = new EnumMap<>(Key.class);
    private final EnumMap<Key, GroupVersionName> names = new EnumMap<>(Key.class);

    /** @param scanner positioned before the value of {@code request} in {@code body} */
    AdmissionRequestReader(JsonScanner scanner, byte[] body) {
        this.in = scanner;
        this.body = body;
        this.out = new byte[body.length - scanner.position()];
    }

    Admission read() {
        in.enterObject("struct AdmissionRequest");
        append('{');
        var seen = EnumSet.noneOf(Key.class);
        for (var name = in.nextKey(); name != null; name = in.nextKey()) {
            var key = Key.BY_NAME.get(name);
            if (key == null) {
                in.skipValue();
                continue;
            }
            if (!seen.add(key)) {
                throw in.shape("duplicate field `" + name + "`");
            }
            member(key);
        }
        for (var key : Key.values()) {
            if (key.required && !seen.contains(key)) {
                throw in.shape("missing field `" + key.wireName + "`");
            }
        }
        close();
        return request();
    }

    private void member(Key key) {
        if (!key.required && in.skipNull()) {
            return;
        }
        int start = beginMember(key.wireName);
        switch (key) {
            case UID, OPERATION, SUB_RESOURCE, REQUEST_SUB_RESOURCE, NAME, NAMESPACE -> {
                texts.put(key, in.readString());
                copyFrom(start);
            }
            case KIND, REQUEST_KIND -> names.put(key, groupVersionName("kind", "struct GroupVersionKind"));
            case RESOURCE, REQUEST_RESOURCE ->
                names.put(key, groupVersionName("resource", "struct GroupVersionResource"));
            case USER_INFO -> userInfo();
            case OBJECT, OLD_OBJECT, OPTIONS -> {
                in.skipValue();
                copyFrom(start);
            }
            case DRY_RUN -> {
                in.readBoolean();
                copyFrom(start);
            }
        }
    }

    private GroupVersionName groupVersionName(String last, String expected) {
        in.enterObject(expected);
        append('{');
        var found = new String[3];
        for (var key = in.nextKey(); key != null; key = in.nextKey()) {
            int slot = key.equals("group") ? 0 : key.equals("version") ? 1 : key.equals(last) ? 2 : -1;
            if (slot < 0) {
                in.skipValue();
                continue;
            }
            if (found[slot] != null) {
                throw in.shape("duplicate field `" + key + "`");
            }
            int start = beginMember(key);
            found[slot] = in.readString();
            copyFrom(start);
        }
        close();
        return new GroupVersionName(
                required(found[0], "group"), required(found[1], "version"), required(found[2], last));
    }

    private String required(@Nullable String value, String key) {
        if (value == null) {
            throw in.shape("missing field `" + key + "`");
        }
        return value;
    }

    private void userInfo() {
        in.enterObject("UserInfo");
        append('{');
        var seen = new HashSet<String>();
        for (var key = in.nextKey(); key != null; key = in.nextKey()) {
            if (!USER_INFO_KEYS.contains(key)) {
                in.skipValue();
                continue;
            }
            if (!seen.add(key)) {
                throw in.shape("duplicate field `" + key + "`");
            }
            if (!in.skipNull()) {
                int start = beginMember(key);
                switch (key) {
                    case "groups" -> skipTexts();
                    case "extra" -> skipExtra();
                    default -> in.readString();
                }
                copyFrom(start);
            }
        }
        close();
    }

    private void skipExtra() {
        in.enterObject("a map");
        while (in.nextKey() != null) {
            skipTexts();
        }
    }

    private void skipTexts() {
        in.enterList("a sequence");
        while (in.nextItem()) {
            in.readString();
        }
    }

    private Admission request() {
        return new Admission(
                texts.getOrDefault(Key.UID, ""),
                Arrays.copyOf(out, length),
                named(Key.KIND),
                named(Key.RESOURCE),
                texts.getOrDefault(Key.OPERATION, ""),
                Optional.ofNullable(names.get(Key.REQUEST_KIND)).map(GroupVersionName::name),
                Optional.ofNullable(texts.get(Key.NAME)),
                Optional.ofNullable(texts.get(Key.NAMESPACE)),
                Optional.ofNullable(texts.get(Key.SUB_RESOURCE)));
    }

    private GroupVersionName named(Key key) {
        return names.getOrDefault(key, new GroupVersionName("", "", ""));
    }

    /** Writes the key and returns the start of the value in the body. */
    private int beginMember(String key) {
        if (out[length - 1] != '{') {
            append(',');
        }
        append('"');
        var bytes = key.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, out, length, bytes.length);
        length += bytes.length;
        append('"');
        append(':');
        in.peek();
        return in.position();
    }

    private void copyFrom(int start) {
        int count = in.position() - start;
        System.arraycopy(body, start, out, length, count);
        length += count;
    }

    private void append(char ascii) {
        out[length++] = (byte) ascii;
    }

    private void close() {
        append('}');
    }
}
