package io.portcullis.kwctl.values;

import java.util.List;

/** Describes for users what a conversion changed. */
public final class MigrationReport {

    private MigrationReport() {}

    /** The lines, each with a line break. Contains keys, never values: a value may be a secret. */
    public static String of(List<ValueChange> changes) {
        var text = new StringBuilder();
        var mapped = new StringBuilder();
        var refused = new StringBuilder();
        var taken = 0;
        var leftOut = 0;
        for (var change : changes) {
            switch (change) {
                case ValueChange.Taken _ -> taken++;
                case ValueChange.LeftOut _ -> leftOut++;
                case ValueChange.Mapped(var key, var how) -> mapped.append("  %s: %s\n".formatted(key, how));
                case ValueChange.Refused(var key, var why, var instead) ->
                    refused.append("  %s: %s; %s\n".formatted(key, why, instead));
            }
        }
        text.append("Taken as they are: %d\n".formatted(taken));
        if (leftOut > 0) {
            text.append("Left out, because they are Kubewarden's defaults and have no effect here: %d\n"
                    .formatted(leftOut));
        }
        if (!mapped.isEmpty()) {
            text.append("Mapped:\n").append(mapped);
        }
        if (!refused.isEmpty()) {
            text.append("Refused, and left out:\n").append(refused);
        }
        return text.toString();
    }
}
