package io.portcullis.api.overlap;

/**
 * What a rule calls a resource: {@code pods}, {@code pods/log}, {@code pods/*}, {@code *}, {@code *}{@code /scale} or
 * {@code *}{@code /*}. The API server compares the two halves one by one, so {@code pods/*} is {@code pods} itself, too.
 *
 * @param sub empty for the resource itself
 */
public record ResourcePattern(String main, String sub) {

    private static final String ANY = "*";

    public static ResourcePattern parse(String pattern) {
        int slash = pattern.indexOf('/');
        return slash < 0
                ? new ResourcePattern(pattern, "")
                : new ResourcePattern(pattern.substring(0, slash), pattern.substring(slash + 1));
    }

    /** Whether there are resources that both mean; a resource's own name means only itself. */
    public boolean meets(ResourcePattern other) {
        return meet(main, other.main) && meet(sub, other.sub);
    }

    /** Whether it means more than subresources. */
    public boolean meansTheResourceItself() {
        return sub.isEmpty() || sub.equals(ANY);
    }

    private static boolean meet(String one, String other) {
        return one.equals(ANY) || other.equals(ANY) || one.equals(other);
    }
}
