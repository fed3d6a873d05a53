package io.portcullis.capabilities.network;

import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.evaluator.host.Dns;
import io.portcullis.evaluator.host.HostCallException;
import java.net.InetAddress;
import java.util.List;

/**
 * Answers lookups with allowed addresses only. A name that is unknown and a name that has no allowed address get the
 * same answer: otherwise a policy could find out which names exist in the cluster.
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
            throw notKnown();
        }
        if (addresses.isEmpty()) {
            throw notKnown();
        }
        return addresses;
    }

    private boolean isAllowed(String host, String address) {
        try {
            return allowed.allows(host, InetAddress.ofLiteral(address));
        } catch (IllegalArgumentException e) {
            // An address with a zone of this machine, or none at all.
            return false;
        }
    }

    private HostCallException notKnown() {
        return new HostCallException("failed to lookup address information: Name or service not known,"
                + " or its address may not be reached: " + allowed.remedy());
    }
}
