package io.portcullis.api.policyserver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyServerNamesTest {

    @Test
    void findsTheServerOfAService() {
        assertThat(PolicyServerNames.policyServer(PolicyServerNames.service("tenant-a")))
                .contains("tenant-a");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "policy-server-", "policy-server", "another"})
    void findsNoServerForOtherNames(String name) {
        assertThat(PolicyServerNames.policyServer(name)).isEmpty();
    }
}
