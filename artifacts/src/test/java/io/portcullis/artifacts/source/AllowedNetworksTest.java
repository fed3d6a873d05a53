package io.portcullis.artifacts.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedNetworksTest {

    private static final AllowedNetworks PUBLIC = AllowedNetworks.publicAnd(List.of(), "ask the operator");

    @ParameterizedTest
    @CsvSource({
        "1.1.1.1, PUBLIC",
        "9.255.255.255, PUBLIC",
        "10.0.0.0, PRIVATE",
        "10.255.255.255, PRIVATE",
        "11.0.0.0, PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.16.0.1, PRIVATE",
        "172.31.255.255, PRIVATE",
        "172.32.0.0, PUBLIC",
        "192.168.1.1, PRIVATE",
        "100.63.255.255, PUBLIC",
        "100.64.0.1, PRIVATE",
        "100.127.255.255, PRIVATE",
        "100.128.0.0, PUBLIC",
        "127.0.0.1, LOOPBACK",
        "127.255.255.254, LOOPBACK",
        "169.254.169.254, LINK_LOCAL",
        "169.254.0.1, LINK_LOCAL",
        "0.0.0.0, RESERVED",
        "0.1.2.3, RESERVED",
        "192.0.0.8, RESERVED",
        "192.0.2.1, RESERVED",
        "198.18.0.1, RESERVED",
        "203.0.113.9, RESERVED",
        "224.0.0.1, RESERVED",
        "239.255.255.255, RESERVED",
        "240.0.0.1, RESERVED",
        "255.255.255.255, RESERVED",
        "2606:4700:4700::1111, PUBLIC",
        "::, RESERVED",
        "::1, LOOPBACK",
        "::127.0.0.1, LOOPBACK",
        "::10.0.0.1, PRIVATE",
        "::ffff:127.0.0.1, LOOPBACK",
        "::ffff:10.0.0.1, PRIVATE",
        "::ffff:169.254.169.254, LINK_LOCAL",
        "::ffff:8.8.8.8, PUBLIC",
        "::ffff:0:10.0.0.1, PRIVATE",
        "64:ff9b::a00:1, PRIVATE",
        "64:ff9b::808:808, PUBLIC",
        "64:ff9b::a9fe:a9fe, LINK_LOCAL",
        "64:ff9b:1::1, PRIVATE",
        "2002:a00:1::, PRIVATE",
        "2002:7f00:1::1, LOOPBACK",
        "2002:808:808::1, PUBLIC",
        "2001:0:1::1, RESERVED",
        "2001:db8::1, RESERVED",
        "fc00::1, PRIVATE",
        "fd00:ec2::254, PRIVATE",
        "fe80::1, LINK_LOCAL",
        "fec0::1, PRIVATE",
        "ff02::1, RESERVED",
        "4000::1, RESERVED",
    })
    void classifiesAddresses(String address, AddressKind kind) {
        assertThat(AddressKind.of(InetAddress.ofLiteral(address))).isEqualTo(kind);
    }

    @Test
    void classifiesMappedAddressesThatAreGivenAsBytes() throws UnknownHostException {
        var mapped = HexFormat.of().parseHex("00000000000000000000ffff7f000001");

        assertThat(AddressKind.of(InetAddress.getByAddress("x", mapped))).isEqualTo(AddressKind.LOOPBACK);
    }

    /**
     * Alternative spellings of loopback and metadata addresses that resolvers may accept. The resolved address
     * decides.
     */
    @ParameterizedTest
    @ValueSource(strings = {"2130706433", "127.1", "0", "2852039166", "017700000001", "0x7f.1", "0x7f000001"})
    void blocksUnusualSpellingsOfAddresses(String host) {
        InetAddress[] resolved;
        try {
            resolved = InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            resolved = new InetAddress[0];
        }
        assertThat(resolved).noneMatch(address -> PUBLIC.allows(host, address));
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, 93.184.216.34, true",
        "example.com, 10.0.0.1, false",
        "example.com, 127.0.0.1, false",
        "example.com, 169.254.169.254, false",
        "93.184.216.34, 93.184.216.34, true",
        "2606:4700:4700::1111, 2606:4700:4700::1111, true",
        "kubernetes.default.svc, 93.184.216.34, false",
        "kubernetes.default.svc.cluster.local., 93.184.216.34, false",
        "KUBERNETES.DEFAULT.SVC, 93.184.216.34, false",
        "kubernetes, 93.184.216.34, false",
        "api.default.svc.corp.example, 93.184.216.34, false",
        "metadata.google.internal, 93.184.216.34, false",
        "svcs.example.com, 93.184.216.34, true",
    })
    void allowsPublicAddressesOnlyByDefault(String host, String address, boolean allowed) {
        assertThat(PUBLIC.allows(host, InetAddress.ofLiteral(address))).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.1.0.0/16 | registry.corp | 10.1.2.3 | true",
                "10.1.0.0/16 | registry.corp | 10.2.2.3 | false",
                "10.1.2.3 | registry.corp | 10.1.2.3 | true",
                "10.1.2.3 | registry.corp | 10.1.2.4 | false",
                "Registry.corp | registry.corp | 10.1.2.3 | true",
                "registry.corp | REGISTRY.corp. | 10.1.2.3 | true",
                "registry.corp | evil.registry.corp | 10.1.2.3 | false",
                "registry.default.svc | registry.default.svc | 10.1.2.3 | true",
                "fd00::/8 | registry.corp | fd00::1 | true",
                "fd00::1 | registry.corp | fd00::2 | false",
                "* | anything | 169.254.169.254 | true",
                "10.0.0.0/8, 127.0.0.1 | x.corp | 127.0.0.1 | true",
                "10.0.0.0/8, 127.0.0.1 | x.corp | 127.0.0.2 | false",
            })
    void allowsNetworksThatTheOperatorLists(String listed, String host, String address, boolean allowed) {
        var networks = AllowedNetworks.publicAnd(List.of(listed.split(",")), "");

        assertThat(networks.allows(host, InetAddress.ofLiteral(address))).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/33", "x/8", "/", "10.0.0.1:80", "registry:5000", "", "a b", "999.1.1.1", "-x"})
    void refusesEntriesThatAreNotNetworks(String entry) {
        assertThatThrownBy(() -> AllowedNetworks.publicAnd(List.of(entry), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + entry + "\"");
    }

    @ParameterizedTest
    @CsvSource({
        "PUBLIC, 93.184.216.34, true",
        "PUBLIC, 10.0.0.1, false",
        "PUBLIC, 127.0.0.1, false",
        "PUBLIC, 169.254.169.254, false",
        "PRIVATE, 10.0.0.1, true",
        "PRIVATE, 127.0.0.1, false",
        "PRIVATE, 169.254.169.254, false",
        "LOOPBACK, 127.0.0.2, true",
        "LOOPBACK, 10.0.0.1, true",
        "LOOPBACK, 169.254.169.254, false",
        "LINK_LOCAL, 169.254.169.254, false",
    })
    void letsNoServerRedirectIntoAMorePrivateNetwork(AddressKind origin, String target, boolean allowed) {
        assertThat(AllowedNetworks.forRedirectsFrom(origin, Set.of())
                        .allows("storage.example", InetAddress.ofLiteral(target)))
                .isEqualTo(allowed);
    }

    @Test
    void letsServersRedirectToHostsThatTheOperatorConfigured() {
        var allowed = AllowedNetworks.forRedirectsFrom(AddressKind.PUBLIC, Set.of("minio.corp"));

        assertThat(allowed.allows("minio.corp", InetAddress.ofLiteral("10.0.0.1")))
                .isTrue();
    }
}
