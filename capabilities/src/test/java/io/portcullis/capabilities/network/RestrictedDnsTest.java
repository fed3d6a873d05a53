package io.portcullis.capabilities.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.evaluator.host.Dns;
import io.portcullis.evaluator.host.HostCallException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestrictedDnsTest {

    private static final Map<String, List<String>> NAMES = Map.of(
            "example.com", List.of("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"),
            "both.example", List.of("93.184.216.34", "10.0.0.1"),
            "kubernetes.default.svc", List.of("10.96.0.1"),
            "public.default.svc", List.of("93.184.216.34"),
            "rebound.example", List.of("127.0.0.1"),
            "metadata.example", List.of("169.254.169.254"),
            "zone.example", List.of("fe80::1%eth0"),
            "10.0.0.1", List.of("10.0.0.1"));

    private static final Dns RESOLVER = host -> {
        if (!NAMES.containsKey(host)) {
            throw new HostCallException("failed to lookup address information: Name or service not known");
        }
        return NAMES.get(host);
    };

    private final Dns restricted =
            new RestrictedDns(RESOLVER, AllowedNetworks.publicAnd(List.of(), "ask the operator"));

    @Test
    void returnsPublicAddresses() {
        assertThat(restricted.lookup("example.com")).hasSize(2);
        assertThat(restricted.lookup("both.example")).containsExactly("93.184.216.34");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubernetes.default.svc",
                "public.default.svc",
                "rebound.example",
                "metadata.example",
                "zone.example",
                "10.0.0.1"
            })
    void hidesWhetherAnInternalNameExists(String host) {
        var unknown = catchThrowable(() -> restricted.lookup("unknown.example"));

        assertThatThrownBy(() -> restricted.lookup(host))
                .isInstanceOf(HostCallException.class)
                .hasMessage(unknown.getMessage())
                .hasMessageContaining("ask the operator")
                .hasNoCause();
    }

    @Test
    void returnsAddressesThatTheOperatorAllows() {
        var dns = new RestrictedDns(RESOLVER, AllowedNetworks.publicAnd(List.of("10.0.0.0/8", "rebound.example"), ""));

        assertThat(dns.lookup("kubernetes.default.svc")).containsExactly("10.96.0.1");
        assertThat(dns.lookup("rebound.example")).containsExactly("127.0.0.1");
    }

    @Test
    void returnsAllAddressesWithoutRestriction() {
        assertThat(new RestrictedDns(RESOLVER, AllowedNetworks.EVERYTHING).lookup("zone.example"))
                .containsExactly("fe80::1%eth0");
    }
}
