package io.portcullis.kwctl.values;

import java.util.List;
import java.util.Set;

/**
 * One row of the {@link ValueTable}. A row also covers the keys below its own key, unless one of these has its own row.
 *
 * @param path the key in Kubewarden's charts, split at its dots
 * @param charts our charts that use the value
 */
record ValueRule(List<String> path, Set<TargetChart> charts, Treatment treatment) {

    ValueRule {
        path = List.copyOf(path);
        charts = Set.copyOf(charts);
    }

    static ValueRule of(String key, Set<TargetChart> charts, Treatment treatment) {
        return new ValueRule(List.of(key.split("\\.", -1)), charts, treatment);
    }

    /** Whether more than one chart uses the value. */
    boolean isShared() {
        return charts.size() > 1;
    }
}
