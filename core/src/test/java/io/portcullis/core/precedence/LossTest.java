package io.portcullis.core.precedence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LossTest {

    @Test
    void onlyALossOfAllRequestsTakesTheWebhookAway() {
        assertThat(new Loss.Everything(List.of()).isTotal()).isTrue();
        assertThat(new Loss.Conflict(List.of()).isTotal()).isTrue();

        assertThat(new Loss.Nothing().isTotal()).isFalse();
        assertThat(new Loss.Namespaces(List.of(), new TreeSet<>(), true).isTotal())
                .isFalse();
        assertThat(new Loss.Rules(List.of(), List.of()).isTotal()).isFalse();
    }
}
