package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.docs.ShellBlock.Marker;
import io.portcullis.docs.ShellBlock.Place;
import io.portcullis.testkit.claim.NamedTest;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No command can get into the documentation without saying who runs it. */
class ShellBlockTest {

    private static final Pattern INLINE = Pattern.compile("`\\./portcullis ([a-z][a-z0-9-]*)[^`]*`");

    private static Stream<ShellBlock> all() {
        return Page.all().stream().flatMap(page -> ShellBlock.of(page).stream());
    }

    @Test
    void everyBlockOfCommandsSaysWhoRunsIt() {
        assertThat(all().filter(block -> block.marker() instanceof Marker.None)
                        .map(block -> block.at() + ": " + block.marker()))
                .isEmpty();
    }

    @Test
    void everyTestThatStandsForCommandsExists() {
        assertThat(all().filter(block ->
                                block.marker() instanceof Marker.ShownBy(NamedTest test) && !test.existsIn(Page.root()))
                        .map(block -> block.at() + ": " + block.marker()))
                .isEmpty();
    }

    @Test
    void everyPageForAClusterHasItsPlaceInTheOrder() {
        assertThat(Page.all().stream()
                        .filter(page -> ShellBlock.of(page).stream().anyMatch(block -> block.runsAt(Place.CLUSTER)))
                        .map(page -> page.path().toString()))
                .containsExactlyInAnyOrderElementsOf(DemoIT.PAGES);
    }

    @Test
    void examplesHaveAReasonAndAreProperShell() {
        assertThat(all().filter(block -> block.marker() instanceof Marker.Example))
                .allSatisfy(block -> {
                    assertThat(((Marker.Example) block.marker()).why())
                            .as(block.at())
                            .hasSizeGreaterThan(10);
                    var script = String.join("\n", block.lines()).replaceAll("<[a-z-]+>", "placeholder");
                    assertThat(ShellCommand.of("bash", "-n", "-c", script)
                                    .attempt()
                                    .errors())
                            .as(block.at())
                            .isEmpty();
                });
    }

    @Test
    void commandsInTheTextAreThoseOfTheEntryPoint() throws IOException {
        var entryPoint = Files.readString(Page.root().resolve("portcullis"));
        assertThat(Page.all().stream()
                        .flatMap(page -> page.prose().stream())
                        .flatMap(line -> INLINE.matcher(line).results())
                        .map(found -> found.group(1))
                        .distinct())
                .allSatisfy(command -> assertThat(entryPoint).containsPattern("(?m)^  " + command + "[ )]"));
    }

    @ParameterizedTest
    @CsvSource({"run=local,LOCAL", "run=cluster,CLUSTER", "run=demo,DEMO"})
    void aTestRunsIt(String info, Place place) {
        assertThat(only("```sh " + info + "\ntrue\n```").runsAt(place)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "```sh\nkwctl\n```",
                "```sh run=somewhere\ntrue\n```",
                "```sh shown-by=nobody\ntrue\n```",
                "```sh example\ntrue\n```",
                "```console\n$ true\n```",
                "```bash trust me\ntrue\n```",
                "```\n./portcullis serve\n```",
                "```\n$ anything\n```",
                "```\nkubectl get pods\n```"
            })
    void findsBlocksThatNoTestRuns(String text) {
        assertThat(only(text).marker()).isInstanceOf(Marker.None.class);
    }

    @Test
    void otherBlocksHoldNoCommands() {
        assertThat(ShellBlock.of(Page.of("p.md", "```yaml\nkubectl: x\n```\n```\n a ──► b\n```")))
                .isEmpty();
    }

    @Test
    void aCommandThatShouldFailMustFail() {
        assertThat(run("true\nfalse   # fails: it is called so")).isTrue();
        assertThat(run("true   # refused")).isFalse();
        assertThat(run("false\ntrue")).isFalse();
        assertThat(run("true")).isTrue();
    }

    private static boolean run(String commands) {
        var script = only("```sh run=local\n" + commands + "\n```").script();
        return ShellCommand.of(List.of("bash", "-e", "-c", script)).attempt().succeeded();
    }

    private static ShellBlock only(String text) {
        var blocks = ShellBlock.of(Page.of("p.md", text));
        assertThat(blocks).hasSize(1);
        return blocks.getFirst();
    }
}
