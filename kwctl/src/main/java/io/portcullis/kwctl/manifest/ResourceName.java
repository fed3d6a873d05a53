package io.portcullis.kwctl.manifest;

import io.portcullis.kwctl.cli.CommandException;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Checks names by the rules of Kubernetes: lower-case RFC 1123, parts of at most 63 characters, 253 in total. */
final class ResourceName {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final int MAX_LENGTH = 253;

    private ResourceName() {}

    static String check(String title) {
        var valid = !title.isEmpty()
                && title.length() <= MAX_LENGTH
                && Arrays.stream(title.split("\\.", -1))
                        .allMatch(label -> LABEL.matcher(label).matches());
        if (!valid) {
            throw new CommandException("Invalid title '" + title
                    + "': a resource name consists of lower case alphanumeric characters, '-' or '.'"
                    + " and starts and ends with an alphanumeric character; use --title to give one");
        }
        return title;
    }
}
