package io.portcullis.artifacts.oci;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** An authentication challenge, parsed from {@code WWW-Authenticate}. */
record Challenge(String scheme, Map<String, String> parameters) {

    private static final Pattern PARAMETER = Pattern.compile("([a-zA-Z_-]+)\\s*=\\s*(?:\"([^\"]*)\"|([^\\s,]+))");

    static Challenge parse(String header) {
        var text = header.strip();
        var space = text.indexOf(' ');
        var scheme = space < 0 ? text : text.substring(0, space);
        var parameters = new HashMap<String, String>();
        var matcher = PARAMETER.matcher(space < 0 ? "" : text.substring(space));
        while (matcher.find()) {
            var value = matcher.group(2) == null ? matcher.group(3) : matcher.group(2);
            parameters.put(matcher.group(1).toLowerCase(Locale.ROOT), value);
        }
        return new Challenge(scheme.toLowerCase(Locale.ROOT), Map.copyOf(parameters));
    }

    boolean isBearer() {
        return scheme.equals("bearer");
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }
}
