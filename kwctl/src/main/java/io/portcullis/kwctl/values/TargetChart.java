package io.portcullis.kwctl.values;

/** A chart of ours, in the order in which charts are installed. */
public enum TargetChart {
    CRDS("portcullis-crds"),
    CONTROLLER("portcullis"),
    DEFAULTS("portcullis-defaults");

    private final String chartName;

    TargetChart(String chartName) {
        this.chartName = chartName;
    }

    public String chartName() {
        return chartName;
    }
}
