package io.portcullis.evaluator.host.session;

import io.portcullis.fuzz.Inputs;

/** Recorded sessions: an InvalidSessionException, or a session whose text is unchanged by parsing and writing it. */
public final class SessionFuzz {

    private SessionFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        RecordedSession session;
        try {
            session = RecordedSession.parse(Inputs.text(input));
        } catch (InvalidSessionException e) {
            return;
        }
        var text = session.toYaml();
        Inputs.check(RecordedSession.parse(text).toYaml().equals(text), "the text is stable");
    }
}
