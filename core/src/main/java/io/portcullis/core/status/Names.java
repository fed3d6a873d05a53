package io.portcullis.core.status;

import java.util.List;
import java.util.stream.Collectors;

/** Formats object names for messages. The list is sorted, so that equal facts give equal messages, and its length is limited. */
final class Names {

    private static final int SHOWN = 16;

    private Names() {}

    static String list(List<String> names) {
        var shown = names.stream().sorted().limit(SHOWN).collect(Collectors.joining(", ", "[", "]"));
        return names.size() > SHOWN ? shown + " and " + (names.size() - SHOWN) + " more" : shown;
    }
}
