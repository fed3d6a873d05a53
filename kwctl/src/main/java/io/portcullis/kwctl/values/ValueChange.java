package io.portcullis.kwctl.values;

/** What the conversion did with one value. */
public sealed interface ValueChange {

    /** The value's key in the file, its parts joined by dots. */
    String key();

    record Taken(String key) implements ValueChange {}

    /** Left out: a default of Kubewarden's, without an effect in our charts. */
    record LeftOut(String key) implements ValueChange {}

    record Mapped(String key, String change) implements ValueChange {}

    /** Left out, although the value has an effect in Kubewarden's charts. */
    record Refused(String key, String why, String instead) implements ValueChange {}
}
