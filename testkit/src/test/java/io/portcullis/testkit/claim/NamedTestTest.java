package io.portcullis.testkit.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedTestTest {

    @Test
    void findsWhatIsThereOnly() {
        var root = Checkout.current().root();
        assertThat(new NamedTest("testkit", "NamedTestTest", "findsWhatIsThereOnly").existsIn(root))
                .isTrue();
        assertThat(new NamedTest("testkit", "NamedTestTest", "findsWhatIsThere").existsIn(root))
                .isFalse();
        assertThat(new NamedTest("testkit", "NoSuchTest", "findsWhatIsThereOnly").existsIn(root))
                .isFalse();
        assertThat(new NamedTest("no-module", "NamedTestTest", "findsWhatIsThereOnly").existsIn(root))
                .isFalse();
    }

    @Test
    void readsNamesFromText() {
        assertThat(NamedTest.in("| a | `api: FirstTest#one`, `policy-server: SecondIT#two` | `other`"))
                .containsExactly(
                        new NamedTest("api", "FirstTest", "one"), new NamedTest("policy-server", "SecondIT", "two"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "FirstTest#one", "api: FirstTest", "api: First Test#one", "api: FirstTest#one and more"})
    void takesNothingElseForAName(String text) {
        assertThat(NamedTest.parse(text)).isEmpty();
    }
}
