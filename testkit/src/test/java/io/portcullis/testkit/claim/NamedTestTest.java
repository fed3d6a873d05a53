package io.portcullis.testkit.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @CsvSource({
        "shows,",
        "showsWithArguments,",
        "isDisabled, is disabled",
        "isDisabledOnSomeMachines, is disabled",
        "isHelper, is not annotated as a test",
        "isAfterATest, is not annotated as a test",
        "isInAComment, does not exist",
        "isMissing, does not exist"
    })
    void saysWhyATestShowsNothing(String method, @Nullable String problem, @TempDir Path root) throws IOException {
        write(root, "SampleTest", """
            package sample;

            /** Mentions @Disabled. */
            class SampleTest {

                private final String text = "";

                @Test
                void shows() {}

                void isAfterATest() {}

                /** Its arguments are blocks of text. */
                @ParameterizedTest
                @CsvSource({
                    "a, b",

                    "c, d",
                })
                void showsWithArguments(String text) {
                    text.length();
                }

                @Test
                @Disabled("later")
                void isDisabled() {}

                @EnabledOnOs(LINUX)
                @Test
                void isDisabledOnSomeMachines() {}

                private static void isHelper() {}

                // @Test
                // void isInAComment() {}
            }
            """);

        assertThat(new NamedTest("sample", "SampleTest", method).problemIn(root))
                .isEqualTo(Optional.ofNullable(problem));
    }

    @Test
    void refusesClassesThatAreDisabledOrThatTheBuildDoesNotRun(@TempDir Path root) throws IOException {
        write(root, "DisabledIT", "@Disabled\nclass DisabledIT {\n    @Test\n    void shows() {}\n}\n");
        write(root, "Sample", "class Sample {\n    @Test\n    void shows() {}\n}\n");

        assertThat(new NamedTest("sample", "DisabledIT", "shows").problemIn(root))
                .contains("is disabled");
        assertThat(new NamedTest("sample", "Sample", "shows").problemIn(root))
                .get()
                .asString()
                .startsWith("is in a class that the build does not run");
    }

    private static void write(Path root, String type, String source) throws IOException {
        var directory = Files.createDirectories(root.resolve("sample/src/test/java"));
        Files.writeString(directory.resolve(type + ".java"), source);
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
