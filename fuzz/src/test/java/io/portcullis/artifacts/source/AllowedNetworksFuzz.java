package io.portcullis.artifacts.source;

import io.portcullis.fuzz.Inputs;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Address rules: invalid entries give an IllegalArgumentException, and NAT64 addresses count as their IPv4 address. */
public final class AllowedNetworksFuzz {

    private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

    private AllowedNetworksFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws UnknownHostException {
        if (input.length >= 4) {
            var four = Arrays.copyOf(input, 4);
            var sixteen = Arrays.copyOf(NAT64, 16);
            System.arraycopy(four, 0, sixteen, 12, 4);
            Inputs.check(
                    AddressKind.of(InetAddress.getByAddress(four)) == AddressKind.of(InetAddress.getByAddress(sixteen)),
                    "a NAT64 address has the kind of its embedded address");
        }
        try {
            AllowedNetworks.publicAnd(List.of(Inputs.text(input).split(",", -1)), "");
        } catch (IllegalArgumentException e) {
            Inputs.check(e.getClass() == IllegalArgumentException.class, "the documented exception");
        }
    }
}
