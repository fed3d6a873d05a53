package io.portcullis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CheckoutTest {

    @Test
    void findsTheCheckoutOfTheWorkingDirectory() {
        var checkout = Checkout.current();

        assertThat(checkout.root().resolve("pom.xml")).exists();
        assertThat(Files.isExecutable(checkout.toolsScript())).isTrue();
        assertThat(Files.isExecutable(checkout.clusterScript())).isTrue();
        assertThat(Files.isExecutable(checkout.imageScript())).isTrue();
    }

    @Test
    void failsWithTheStartDirectoryOutsideACheckout() {
        assertThatThrownBy(() -> Checkout.around(Path.of("/")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("run tests inside a checkout");
    }
}
