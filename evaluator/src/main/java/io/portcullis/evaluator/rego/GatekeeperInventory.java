package io.portcullis.evaluator.rego;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Reads the objects that a Rego policy was granted. The policy cannot query the cluster itself, so it gets all of them.
 */
record GatekeeperInventory(Layout layout, HostCapabilities capabilities) {

    /** The location of objects in the data document. */
    enum Layout {
        /** {@code data.kubernetes.<plural>.[<namespace>.]<name>}, beside the settings. */
        OPA {
            @Override
            byte[] document(byte[] settings, List<Listing> listings) {
                return InventoryDocument.opa(settings, listings);
            }
        },
        /** {@code data.inventory.namespace.<ns>.<apiVersion>.<Kind>.<name>} and {@code data.inventory.cluster.…}. */
        GATEKEEPER {
            @Override
            byte[] document(byte[] settings, List<Listing> listings) {
                return InventoryDocument.gatekeeper(listings);
            }
        };

        abstract byte[] document(byte[] settings, List<Listing> listings);
    }

    /** All objects of one kind. Two listings are equal only if they share the same array; unchanged lists do. */
    record Listing(ContextAwareResource resource, String plural, byte[] json) {}

    /** Reads all lists first, then the plural names: recorded sessions depend on this order. */
    List<Listing> read(Caller caller) {
        var resources = caller.contextAwareResources().stream()
                .sorted(Comparator.comparing(ContextAwareResource::apiVersion)
                        .thenComparing(ContextAwareResource::kind))
                .toList();
        var lists = resources.stream()
                .map(resource -> capabilities.listAll(caller, resource))
                .toList();
        var listings = new ArrayList<Listing>();
        for (int i = 0; i < lists.size(); i++) {
            var plural = switch (layout) {
                case OPA -> capabilities.pluralName(caller, resources.get(i));
                case GATEKEEPER -> "";
            };
            listings.add(new Listing(resources.get(i), plural, lists.get(i)));
        }
        return List.copyOf(listings);
    }
}
