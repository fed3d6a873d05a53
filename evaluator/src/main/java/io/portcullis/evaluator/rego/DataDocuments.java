package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.runtime.ModuleContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The data documents of the policies that share a module. A document that does not change between requests is the same
 * object, so that what was derived from it, the image of a heap that holds it, can be used again.
 */
final class DataDocuments {

    private final RegoDialect dialect;
    private final GatekeeperInventory inventory;
    private final ConcurrentHashMap<String, DataDocument> latest = new ConcurrentHashMap<>();

    DataDocuments(RegoDialect dialect, GatekeeperInventory inventory) {
        this.dialect = dialect;
        this.inventory = inventory;
    }

    /** @throws io.portcullis.evaluator.host.HostCallException when the cluster does not give what the policy was granted */
    DataDocument forPolicy(ModuleContext context) {
        var base = dialect.baseData(context);
        boolean contextAware = !context.caller().contextAwareResources().isEmpty();
        var snapshot = contextAware ? inventory.read(context.caller()) : List.<GatekeeperInventory.Listing>of();
        return Optional.ofNullable(latest.get(context.policyId()))
                .filter(document -> document.isMadeOf(base, snapshot))
                .orElseGet(() -> {
                    var json = contextAware ? dialect.inventory().document(base, snapshot) : base;
                    var document = new DataDocument(base, snapshot, json);
                    latest.put(context.policyId(), document);
                    return document;
                });
    }
}
