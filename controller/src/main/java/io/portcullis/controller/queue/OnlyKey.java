package io.portcullis.controller.queue;

/** The key of a reconciler that handles everything in one pass. */
public enum OnlyKey {
    ONLY
}
