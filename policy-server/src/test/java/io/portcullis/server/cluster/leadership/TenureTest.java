package io.portcullis.server.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.server.cluster.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TenureTest {

    private final ManualClock clock = new ManualClock();
    private final Tenure tenure = new Tenure(clock::nanos);

    @Test
    void nobodyLeadsWithoutALease() {
        assertThat(tenure.term()).isEmpty();
        assertThat(tenure.isTerm(0)).isFalse();
    }

    @Test
    void aTermLapsesWhenItIsNotRenewedAndIsBackWhenTheRenewalArrives() {
        tenure.hold(3, clock.nanos());
        clock.pass(LeasePlan.RENEW_LIMIT);
        assertThat(tenure.isTerm(3)).isTrue();

        clock.pass(Duration.ofNanos(1));
        assertThat(tenure.term()).isEmpty();

        tenure.hold(3, clock.nanos());
        assertThat(tenure.term()).hasValue(3);
    }

    @Test
    void aLaterTermThatWasSeenEndsThisOne() {
        tenure.hold(3, clock.nanos());
        tenure.sawTerm(2);
        tenure.sawTerm(3);
        assertThat(tenure.isTerm(3)).isTrue();

        tenure.sawTerm(4);
        assertThat(tenure.term()).isEmpty();
        assertThat(tenure.floor()).isEqualTo(4);
    }

    @Test
    void aRenewalThatWasUnderWayDoesNotBringBackATermThatWasFollowed() {
        tenure.hold(3, clock.nanos());
        tenure.sawTerm(4);

        tenure.hold(3, clock.nanos());
        assertThat(tenure.term()).isEmpty();

        tenure.hold(5, clock.nanos());
        assertThat(tenure.term()).hasValue(5);
    }
}
