package io.portcullis.core.overlap;

/**
 * A resource pattern of a webhook rule: {@code pods}, {@code pods/log}, {@code pods/*}, {@code *}, {@code *}{@code /scale} or
 * {@code *}{@code /*}. The API server compares resource and subresource separately, so {@code pods/*} also matches
 * {@code pods}.
 *
 * @param sub the subresource; empty for the resource itself
 */
public record ResourcePattern(String main, String sub) {

    private static final String ANY = "*";

    public static ResourcePattern parse(String pattern) {
        int slash = pattern.indexOf('/');
        return slash < 0
                ? new ResourcePattern(pattern, "")
                : new ResourcePattern(pattern.substring(0, slash), pattern.substring(slash + 1));
    }

    /** Returns whether both patterns match a common resource. A resource name without subresource matches only itself. */
    public boolean meets(ResourcePattern other) {
        return matches(main, other.main) && matches(sub, other.sub);
    }

    /** Returns whether the pattern matches the resource itself, not only subresources. */
    public boolean matchesResourceItself() {
        return sub.isEmpty() || sub.equals(ANY);
    }

    private static boolean matches(String one, String other) {
        return one.equals(ANY) || other.equals(ANY) || one.equals(other);
    }
}
