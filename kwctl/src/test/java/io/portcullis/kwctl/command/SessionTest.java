package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded and replayed host calls. */
class SessionTest {

    private static final String LOOKUP =
            "{\"binding\":\"kubewarden\",\"namespace\":\"net\",\"operation\":\"v1/dns_lookup_host\","
                    + "\"payload\":\"localhost\"}";

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void writeRequest() {
        kwctl = new KwctlRunner(directory);
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(false));
    }

    private KwctlRunner.Result run(String option, String file) {
        return kwctl.run("run", SamplePolicies.HOST_CALL, "-r", "r.json", "--settings-json", LOOKUP, option, file);
    }

    @Test
    void replaysARecording() {
        var live = run("--record-host-capabilities-interactions", "session.yml");

        assertThat(live.out()).contains("ok: ").contains("127.0.0.1");
        assertThat(directory.resolve("session.yml")).content().contains("!DNSLookupHost", "host: localhost");
        assertThat(run("--replay-host-capabilities-interactions", "session.yml").out())
                .isEqualTo(live.out());
    }

    @Test
    void tracesHostCallsOnRequestWithoutTheirContent() {
        run("--record-host-capabilities-interactions", "session.yml");

        var traced = kwctl.run(
                "run",
                SamplePolicies.HOST_CALL,
                "-r",
                "r.json",
                "--settings-json",
                LOOKUP,
                "--trace-host-calls",
                "--replay-host-capabilities-interactions",
                "session.yml");

        assertThat(traced.err())
                .containsPattern(
                        "host call .*policy_id=policy-from-cli capability=net/v1/dns_lookup_host outcome=answered micros=\\d+")
                .doesNotContain("localhost");
        assertThat(run("--replay-host-capabilities-interactions", "session.yml").err())
                .doesNotContain("host call");
    }

    @Test
    void failsHostCallsThatWereNotRecorded() {
        SamplePolicies.write(directory.resolve("empty.yml"), "[]\n");

        assertThat(run("--replay-host-capabilities-interactions", "empty.yml").out())
                .contains("Callback evaluation failure: Replay error: the list of recorded responses is empty");
    }

    @Test
    void failsBeforeEvaluationWhenTheSessionCannotBeRead() {
        SamplePolicies.write(directory.resolve("junk.yml"), "a: [");

        assertThat(run("--replay-host-capabilities-interactions", "none.yml").code())
                .isEqualTo(1);
        assertThat(run("--replay-host-capabilities-interactions", "junk.yml").err())
                .startsWith("Error: cannot parse session file");
    }

    @Test
    void rejectsRecordAndReplayTogether() {
        var result = kwctl.run(
                "run",
                SamplePolicies.HOST_CALL,
                "-r",
                "r.json",
                "--record-host-capabilities-interactions",
                "a",
                "--replay-host-capabilities-interactions",
                "b");

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("cannot be used with");
    }
}
