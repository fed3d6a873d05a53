package io.portcullis.api.policyserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyServerAccountTest {

    private static final String CONTROLLER = "system:serviceaccount:kubewarden:kubewarden-controller";

    private static Optional<String> problem(String name, Optional<Map<String, String>> labels) {
        return PolicyServerAccount.problem(name, labels, "kubewarden", CONTROLLER);
    }

    @Test
    void allowsTheDefaultAccountAndLabelledAccounts() {
        assertThat(problem("default", Optional.empty())).isEmpty();
        assertThat(problem("default", Optional.of(Map.of()))).isEmpty();
        assertThat(problem("policy-server", Optional.of(Map.of(PolicyServerAccount.LABEL, "true"))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"yes", "True", "false", "''"})
    void rejectsOtherValuesOfTheLabel(String value) {
        assertThat(problem("a", Optional.of(Map.of(PolicyServerAccount.LABEL, value))))
                .contains(
                        "ServiceAccount a is not allowed for PolicyServers; an administrator of namespace kubewarden can allow it with the label kubewarden.io/allow-policy-servers=true");
    }

    @Test
    void rejectsTheControllersAccountEvenWithTheLabel() {
        assertThat(problem("kubewarden-controller", Optional.of(Map.of(PolicyServerAccount.LABEL, "true"))))
                .contains("is the account of the controller, which no PolicyServer may use");
    }

    @Test
    void rejectsAccountsThatDoNotExist() {
        assertThat(problem("ghost", Optional.empty()))
                .contains("ServiceAccount ghost does not exist in namespace kubewarden");
    }
}
