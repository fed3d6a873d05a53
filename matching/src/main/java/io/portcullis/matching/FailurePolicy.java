package io.portcullis.matching;

import java.util.Optional;

/** What the API server does when it cannot evaluate a match condition, or cannot call the webhook. */
public enum FailurePolicy {
    /** It rejects the request. This is the default. */
    FAIL,
    /** It does not call the webhook. */
    IGNORE;

    public static FailurePolicy parse(Optional<String> wireName) {
        return wireName.filter("Ignore"::equals).isPresent() ? IGNORE : FAIL;
    }
}
