package io.portcullis.kwctl.run;

import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.session.InvalidSessionException;
import io.portcullis.evaluator.host.session.RecordedSession;
import io.portcullis.evaluator.host.session.RecordingBackend;
import io.portcullis.evaluator.host.session.ReplayingBackend;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.wasm.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the host calls of one policy after the other: live, live and recorded, or from a recording.
 *
 * <p>Settings validation also calls the host, so {@link #begin} comes before the policy is loaded. Not thread-safe.
 */
public final class HostSession implements HostBackend {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    /** The source of the responses. */
    public sealed interface Mode {
        record Live() implements Mode {}

        record Recorded(Path file) implements Mode {}

        record Replayed(RecordedSession session) implements Mode {

            /**
             * Reads a recording before any evaluation, so that an invalid recording is not reported as a failure of the
             * policy.
             */
            public static Replayed load(Path file) {
                try {
                    return new Replayed(RecordedSession.parse(TextFile.read(file, "cannot read session file " + file)));
                } catch (InvalidSessionException e) {
                    throw new CommandException("cannot parse session file " + file, e);
                }
            }
        }
    }

    private final HostBackend live;
    private Mode mode = new Mode.Live();
    private HostBackend current;
    private boolean isFirst = true;

    HostSession(HostBackend live) {
        this.live = live;
        this.current = live;
    }

    /** Starts the session of the next policy: a recording starts empty, a replay starts at its beginning. */
    void begin(Mode next) {
        mode = next;
        current = switch (next) {
            case Mode.Live() -> live;
            case Mode.Recorded _ -> new RecordingBackend(live);
            case Mode.Replayed(var session) -> new ReplayingBackend(session);
        };
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        return current.answer(request, deadline);
    }

    /** Ends the session of a policy: writes its recording, or logs the recorded calls that the policy did not make. */
    void finish(String policyId) {
        if (mode instanceof Mode.Recorded(var file) && current instanceof RecordingBackend recording) {
            write(isFirst ? file : sibling(file, policyId), recording.session().toYaml());
        }
        if (current instanceof ReplayingBackend replay && !replay.leftovers().isEmpty()) {
            log.atWarn()
                    .addKeyValue("exchanges", replay.leftovers().size())
                    .log("some of the recorded exchanges were not asked for");
        }
        isFirst = false;
    }

    /** Returns the recording file of a further policy: {@code <stem>.<id>.yml}. */
    static Path sibling(Path file, String policyId) {
        var name = String.valueOf(file.getFileName());
        var dot = name.lastIndexOf('.');
        return file.resolveSibling((dot < 0 ? name : name.substring(0, dot)) + "." + policyId + ".yml");
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException("cannot write session file " + file, e);
        }
    }
}
