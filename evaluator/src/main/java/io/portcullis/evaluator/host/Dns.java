package io.portcullis.evaluator.host;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Resolves host names to addresses. */
@FunctionalInterface
public interface Dns {

    /** IPv4 and IPv6 addresses in the resolver's order. */
    List<String> lookup(String host);

    /** The resolver of the operating system. */
    static Dns system() {
        return host -> {
            try {
                return Arrays.stream(InetAddress.getAllByName(host))
                        .map(InetAddress::getHostAddress)
                        .toList();
            } catch (UnknownHostException e) {
                throw new HostCallException("failed to lookup address information: Name or service not known", e);
            }
        };
    }
}
