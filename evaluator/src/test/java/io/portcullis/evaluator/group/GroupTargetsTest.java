package io.portcullis.evaluator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.metadata.PolicyMetadata.Rule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resources are written as {@code name.group}; several of them with a blank between. */
class GroupTargetsTest {

    private static List<Rule> rules(String resources) {
        return resources.isEmpty()
                ? List.of()
                : Arrays.stream(resources.split(" "))
                        .map(GroupTargetsTest::rule)
                        .toList();
    }

    private static Rule rule(String resource) {
        int dot = resource.indexOf('.');
        return new Rule(
                List.of(dot < 0 ? "" : resource.substring(dot + 1)),
                List.of("v1"),
                List.of(dot < 0 ? resource : resource.substring(0, dot)),
                List.of("CREATE"));
    }

    private static GroupTargets targets(String group, String... members) {
        var declared = new LinkedHashMap<String, List<Rule>>();
        for (var member : members) {
            declared.put(member.substring(0, 1), rules(member.substring(2)));
        }
        return GroupTargets.of(group.isEmpty() ? Optional.empty() : Optional.of(rules(group)), declared);
    }

    @ParameterizedTest
    @CsvSource({
        "'', a=pods, b=pods",
        "'', a=pods deployments.apps, b=deployments.apps jobs.batch",
        "'', a=pods, b=",
        "'', a=, b=",
        "'', a=*.*, b=ingresses.networking.k8s.io",
        "'', a=*.apps, b=deployments.*",
        "'', a=pods/ephemeralcontainers, b=pods",
        "'', a=*/scale.apps, b=deployments.apps",
        "pods, a=pods, b=pods deployments.apps",
        "pods deployments.apps, a=pods, b=pods",
        "*.*, a=pods, b=pods",
        "pods/exec, a=pods, b="
    })
    void acceptsMembersThatSomeRequestConcernsAll(String group, String first, String second) {
        assertThat(targets(group, first, second).problem()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            "" | a=ingresses.networking.k8s.io | b=pods | member 'a' is made for ingresses.networking.k8s.io, member 'b' for pods
            "" | a=deployments.apps | b=deployments.extensions | member 'a' is made for deployments.apps, member 'b' for deployments.extensions
            pods | a=pods | b=services | member 'b' is made for services, but the rules of the group select pods
            pods services | a=pods jobs.batch | b=services jobs.batch | member 'a' is made for pods, jobs.batch, member 'b' for services, jobs.batch
            pods | a=*.apps | b= | member 'a' is made for *.apps, but the rules of the group select pods
            """)
    void namesTheMembersThatNoRequestConcernsTogether(String group, String first, String second, String problem) {
        assertThat(targets(group, first, second).problem()).contains(problem);
    }

    @Test
    void namesAllMembersWhenOnlyPairsHaveAResourceInCommon() {
        assertThat(targets("", "a=pods services", "b=services jobs.batch", "c=jobs.batch pods")
                        .problem())
                .contains("the members 'a', 'b', 'c' have no resource in common");
    }

    @Test
    void findsTheMembersThatTheRulesOfTheOthersDoNotFit() {
        assertThat(targets("", "a=pods deployments.apps", "b=pods", "c=*.*", "d=")
                        .gapsOfUnion())
                .containsExactly("'a' is not made for *.*", "'b' is not made for deployments.apps");
        assertThat(targets("", "a=pods", "b=pods/status").gapsOfUnion()).isEmpty();
    }

    @Test
    void boundsTheNamesThatAModuleDeclares() {
        var declared = Map.of("a", rules("one two three four five " + "x".repeat(1_000)), "b", rules("y\u0007z"));

        var problem =
                GroupTargets.of(Optional.of(rules("pods")), declared).problem().orElseThrow();

        assertThat(problem).hasSizeLessThan(200).doesNotContain("\u0007");
        assertThat(GroupTargets.of(Optional.of(rules("q")), Map.of("a", rules("x".repeat(1_000))))
                        .problem()
                        .orElseThrow())
                .contains("'a' is made for " + "x".repeat(80) + ", but");
    }

    /** Comparing rules must not take long, so a member with very many of them counts as made for everything. */
    @Test
    void doesNotCompareMoreRulesThanTheLimit() {
        var many = IntStream.rangeClosed(0, GroupTargets.MAX_RESOURCES)
                .mapToObj(i -> rule("r" + i))
                .toList();

        assertThat(GroupTargets.of(Optional.empty(), Map.of("a", many, "b", rules("pods")))
                        .problem())
                .isEmpty();
        assertThat(GroupTargets.of(
                                Optional.empty(),
                                Map.of("a", many.subList(0, GroupTargets.MAX_RESOURCES), "b", rules("pods")))
                        .problem())
                .isPresent();
    }
}
