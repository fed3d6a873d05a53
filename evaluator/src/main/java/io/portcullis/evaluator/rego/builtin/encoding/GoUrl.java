package io.portcullis.evaluator.rego.builtin.encoding;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A URL parsed like Go's {@code net/url}, which is more lenient than {@link java.net.URI}. */
public record GoUrl(String scheme, String host, String path, String rawPath, String rawQuery, String fragment) {

    /** @throws BuiltinException if Go would reject it */
    public static GoUrl parse(String text) {
        int hash = text.indexOf('#');
        var fragment = hash < 0 ? "" : UrlBuiltins.unescape(text.substring(hash + 1), false);
        var rest = hash < 0 ? text : text.substring(0, hash);
        if (rest.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw invalid(text, "net/url: invalid control character in URL");
        }
        var scheme = scheme(rest, text);
        rest = scheme.isEmpty() ? rest : rest.substring(scheme.length() + 1);
        int question = rest.indexOf('?');
        var query = question < 0 ? "" : rest.substring(question + 1);
        rest = question < 0 ? rest : rest.substring(0, question);
        if (!rest.startsWith("/")) {
            if (!scheme.isEmpty()) {
                return new GoUrl(scheme.toLowerCase(Locale.ROOT), "", "", "", query, fragment);
            }
            int colon = rest.indexOf(':');
            int slash = rest.indexOf('/');
            if (colon >= 0 && (slash < 0 || colon < slash)) {
                throw invalid(text, "first path segment in URL cannot contain colon");
            }
        }
        var host = "";
        if (rest.startsWith("//") && !(scheme.isEmpty() && rest.startsWith("///"))) {
            int end = rest.indexOf('/', 2);
            host = host(end < 0 ? rest.substring(2) : rest.substring(2, end), text);
            rest = end < 0 ? "" : rest.substring(end);
        }
        return new GoUrl(
                scheme.toLowerCase(Locale.ROOT),
                host,
                UrlBuiltins.unescape(rest, false),
                rawPath(rest),
                query,
                fragment);
    }

    private static String scheme(String rest, String text) {
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && (i == 0 || "0123456789+-.".indexOf(c) < 0)) {
                if (c != ':') {
                    return "";
                }
                if (i == 0) {
                    throw invalid(text, "missing protocol scheme");
                }
                return rest.substring(0, i);
            }
        }
        return "";
    }

    private static String host(String authority, String text) {
        var host = authority.substring(authority.lastIndexOf('@') + 1);
        int close = host.lastIndexOf(']');
        if (host.startsWith("[") && close < 0) {
            throw invalid(text, "missing ']' in host");
        }
        int colon = host.indexOf(':', Math.max(close, 0));
        if (colon >= 0 && !host.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalid(text, "invalid port " + GoQuote.quote(host.substring(colon), false) + " after host");
        }
        if (host.chars().anyMatch(c -> c <= ' ' || "<>\"\\^`{|}".indexOf(c) >= 0)) {
            throw invalid(text, "invalid character in host name");
        }
        return UrlBuiltins.unescape(host, false);
    }

    /** Returns the original path. Go keeps it only if its own encoding of the path differs. */
    private static String rawPath(String written) {
        var path = UrlBuiltins.unescape(written, false);
        return UrlBuiltins.escapePath(path).equals(written) ? path : written;
    }

    RegoValue toValue() {
        var fields = new LinkedHashMap<String, RegoValue>();
        put(fields, "scheme", scheme);
        put(fields, "hostname", hostname());
        put(fields, "port", port());
        put(fields, "path", path);
        put(fields, "raw_path", rawPath);
        put(fields, "raw_query", rawQuery);
        put(fields, "fragment", fragment);
        return RegoValue.object((Map<String, RegoValue>) fields);
    }

    private static void put(Map<String, RegoValue> fields, String key, String value) {
        if (!value.isEmpty()) {
            fields.put(key, RegoValue.of(value));
        }
    }

    private int portSeparator() {
        return host.indexOf(':', Math.max(host.lastIndexOf(']'), 0));
    }

    private String hostname() {
        var name = portSeparator() < 0 ? host : host.substring(0, portSeparator());
        return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    }

    private String port() {
        return portSeparator() < 0 ? "" : host.substring(portSeparator() + 1);
    }

    private static BuiltinException invalid(String text, String why) {
        return new BuiltinException("parse " + GoQuote.quote(text, false) + ": " + why);
    }
}
