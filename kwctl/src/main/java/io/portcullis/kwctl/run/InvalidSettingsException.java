package io.portcullis.kwctl.run;

import io.portcullis.kwctl.cli.CommandException;

/** The policy rejects the settings of the user. */
public final class InvalidSettingsException extends CommandException {

    private final String problem;

    InvalidSettingsException(String problem) {
        super("Provided settings are not valid: " + problem);
        this.problem = problem;
    }

    /** The text of the policy, or of each rejecting member of a group. */
    public String problem() {
        return problem;
    }
}
