package io.portcullis.testkit.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedTestTest {

    @Test
    void findsOnlyExistingTests() {
        var root = Checkout.current().root();
        assertThat(new NamedTest("testkit", "NamedTestTest", "findsOnlyExistingTests").existsIn(root))
                .isTrue();
        assertThat(new NamedTest("testkit", "NamedTestTest", "findsOnlyExisting").existsIn(root))
                .isFalse();
        assertThat(new NamedTest("testkit", "NoSuchTest", "findsOnlyExistingTests").existsIn(root))
                .isFalse();
        assertThat(new NamedTest("no-module", "NamedTestTest", "findsOnlyExistingTests").existsIn(root))
                .isFalse();
    }

    @Test
    void findsTestReferencesInText() {
        assertThat(NamedTest.in("| a | `api: FirstTest#one`, `policy-server: SecondIT#two` | `other`"))
                .containsExactly(
                        new NamedTest("api", "FirstTest", "one"), new NamedTest("policy-server", "SecondIT", "two"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "FirstTest#one", "api: FirstTest", "api: First Test#one", "api: FirstTest#one and more"})
    void rejectsTextsThatAreNotTestReferences(String text) {
        assertThat(NamedTest.parse(text)).isEmpty();
    }
}
