package io.portcullis.process.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TenureTest {

    private final AtomicLong nanos = new AtomicLong();
    private final Tenure tenure = new Tenure(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void hasNoTermWithoutALease() {
        assertThat(tenure.term()).isEmpty();
        assertThat(tenure.isTerm(0)).isFalse();
    }

    @Test
    void expiresATermWithoutRenewalAndRestoresItOnRenewal() {
        tenure.hold(3, nanos.get());
        pass(LeasePlan.RENEW_LIMIT);
        assertThat(tenure.isTerm(3)).isTrue();

        pass(Duration.ofNanos(1));
        assertThat(tenure.term()).isEmpty();

        tenure.hold(3, nanos.get());
        assertThat(tenure.term()).hasValue(3);
    }

    @Test
    void endsTheTermWhenALaterTermIsObserved() {
        tenure.hold(3, nanos.get());
        tenure.sawTerm(2);
        tenure.sawTerm(3);
        assertThat(tenure.isTerm(3)).isTrue();

        tenure.sawTerm(4);
        assertThat(tenure.term()).isEmpty();
        assertThat(tenure.floor()).isEqualTo(4);
    }

    @Test
    void doesNotRestoreASupersededTermByALateRenewal() {
        tenure.hold(3, nanos.get());
        tenure.sawTerm(4);

        tenure.hold(3, nanos.get());
        assertThat(tenure.term()).isEmpty();

        tenure.hold(5, nanos.get());
        assertThat(tenure.term()).hasValue(5);
    }
}
