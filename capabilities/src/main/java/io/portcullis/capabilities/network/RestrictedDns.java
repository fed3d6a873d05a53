package io.portcullis.capabilities.network;

import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.evaluator.host.Dns;
import io.portcullis.evaluator.host.HostCallException;
import java.net.InetAddress;
import java.util.List;

/**
 * Returns only allowed addresses from DNS lookups. An unknown name and a name without allowed addresses give the same error.
 * Otherwise a policy could find out which names exist in the cluster.
 */
public record RestrictedDns(Dns resolver, AllowedNetworks allowed) implements Dns {

    @Override
    public List<String> lookup(String host) {
        if (allowed.isEverything()) {
            return resolver.lookup(host);
        }
        List<String> addresses;
        try {
            addresses = resolver.lookup(host).stream()
                    .filter(address -> isAllowed(host, address))
                    .toList();
        } catch (HostCallException e) {
            throw unknownHost();
        }
        if (addresses.isEmpty()) {
            throw unknownHost();
        }
        return addresses;
    }

    private boolean isAllowed(String host, String address) {
        try {
            return allowed.allows(host, InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException e) {
            // The address has a zone of this machine, or is not an address.
            return false;
        }
    }

    private HostCallException unknownHost() {
        return new HostCallException("failed to lookup address information: Name or service not known,"
                + " or its address may not be reached: " + allowed.remedy());
    }
}
