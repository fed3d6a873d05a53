package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.kwctl.cli.CommandException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyNameTest {

    private static final List<Policy> POLICIES = List.of(
            Samples.named("AdmissionPolicy", "team-a", "no-root"),
            Samples.named("AdmissionPolicy", "team-b", "no-root"),
            Samples.named("AdmissionPolicyGroup", "team-a", "images"),
            Samples.named("ClusterAdmissionPolicy", "", "images"),
            Samples.named("ClusterAdmissionPolicy", "", "no-privileged"));

    private static PolicyName parse(String text) {
        return PolicyName.parse(text, PolicyScope.ALL);
    }

    /** Returns the policies that a cluster would list in the name's scope. */
    private static Policy find(PolicyName name) {
        return PolicyLookup.find(
                name,
                POLICIES.stream()
                        .filter(policy -> name.scope().kinds().contains(policy.policyKind())
                                && name.scope()
                                        .namespace()
                                        .map(policy.ref().namespace()::equals)
                                        .orElse(true))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "no-privileged, cap/no-privileged",
        "team-a/no-root, ap/team-a/no-root",
        "ap/team-b/no-root, ap/team-b/no-root",
        "cap/images, cap/images",
        "CAP/images, cap/images",
        "clusteradmissionpolicies/images, cap/images",
        "clusteradmissionpolicy.policies.kubewarden.io/images, cap/images",
        "AdmissionPolicyGroup/images, apg/team-a/images",
        "team-a/images, apg/team-a/images",
    })
    void findsThePolicyByItsName(String text, String found) {
        assertThat(PolicyName.unambiguous(find(parse(text)).ref())).isEqualTo(found);
    }

    @Test
    void listsTheCandidatesOfAnAmbiguousName() {
        assertThatThrownBy(() -> find(parse("no-root")))
                .isInstanceOf(CommandException.class)
                .hasMessage("\"no-root\" may mean several policies: ap/team-a/no-root, ap/team-b/no-root");
    }

    @Test
    void listsOnlyTheFirstTenOfManyCandidates() {
        var many = IntStream.range(10, 25)
                .mapToObj(i -> Samples.named("AdmissionPolicy", "ns" + i, "x"))
                .toList();

        assertThatThrownBy(() -> PolicyLookup.find(parse("x"), many))
                .hasMessageStartingWith("\"x\" may mean several policies: ap/ns10/x, ")
                .hasMessageEndingWith("ap/ns19/x and 5 more");
    }

    @Test
    void suggestsASimilarName() {
        assertThatThrownBy(() -> find(parse("no-priviledged")))
                .hasMessage("there is no policy \"no-priviledged\"; did you mean cap/no-privileged?");
        assertThatThrownBy(() -> find(parse("team-b/no-rot")))
                .hasMessage("there is no policy \"no-rot\" in namespace team-b; did you mean ap/team-b/no-root?");
    }

    @Test
    void reportsWhenNoSimilarOrNoPolicyExists() {
        assertThatThrownBy(() -> find(parse("zzz"))).hasMessage("there is no policy \"zzz\"");
        assertThatThrownBy(() -> find(parse("apg/team-c/x")))
                .hasMessage(
                        "there is no policy \"x\" of kind AdmissionPolicyGroup in namespace team-c; there are none at all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "a/", "/a", "a//b", "ap/a/b/c", "nokind/a/b", " "})
    void rejectsInvalidNames(String text) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("\"");
    }

    @Test
    void optionsCompleteTheName() {
        var options = new PolicyScope(Optional.of(PolicyKind.ADMISSION_POLICY), Optional.of("team-b"));

        assertThat(PolicyName.unambiguous(
                        find(PolicyName.parse("no-root", options)).ref()))
                .isEqualTo("ap/team-b/no-root");
    }

    @Test
    void rejectsContradictions() {
        var inTeamA = new PolicyScope(Optional.empty(), Optional.of("team-a"));

        assertThatThrownBy(() -> PolicyName.parse("team-b/no-root", inTeamA)).hasMessageContaining("--namespace");
        assertThatThrownBy(() -> PolicyName.parse("cap/images", inTeamA)).hasMessageContaining("have no namespace");
    }

    @Test
    void aNamespaceExcludesClusterWideKinds() {
        assertThat(new PolicyScope(Optional.empty(), Optional.of("x")).kinds())
                .containsExactly(PolicyKind.ADMISSION_POLICY, PolicyKind.ADMISSION_POLICY_GROUP);
    }
}
