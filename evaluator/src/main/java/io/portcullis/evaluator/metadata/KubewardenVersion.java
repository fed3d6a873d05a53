package io.portcullis.evaluator.metadata;

import java.util.regex.Pattern;

/** A semantic version of Kubewarden, reduced to the parts that decide compatibility: major and minor. */
public record KubewardenVersion(long major, long minor) implements Comparable<KubewardenVersion> {

    /** The version whose contract Portcullis implements; it is unrelated to the version of Portcullis. */
    public static final KubewardenVersion COMPATIBLE = new KubewardenVersion(1, 36);

    private static final Pattern SEMVER = Pattern.compile(
            "(0|[1-9]\\d{0,17})\\.(0|[1-9]\\d{0,17})\\.(?:0|[1-9]\\d{0,17})(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?");

    /** @throws IllegalArgumentException if the text is not a semantic version with three numbers */
    public static KubewardenVersion parse(String text) {
        var matcher = SEMVER.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "invalid version `" + text + "`: expected MAJOR.MINOR.PATCH, for example 1.20.0");
        }
        return new KubewardenVersion(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    @Override
    public int compareTo(KubewardenVersion other) {
        return major != other.major ? Long.compare(major, other.major) : Long.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor + ".0";
    }
}
