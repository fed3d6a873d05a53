package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.runtime.ModuleContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The data documents of the policies that share a module. While a document does not change between requests, the same
 * object is returned, so that its heap image can be reused.
 */
final class DataDocuments {

    private final RegoDialect dialect;
    private final GatekeeperInventory inventory;
    private final ConcurrentHashMap<String, DataDocument> latest = new ConcurrentHashMap<>();

    DataDocuments(RegoDialect dialect, GatekeeperInventory inventory) {
        this.dialect = dialect;
        this.inventory = inventory;
    }

    /**
     * @throws io.portcullis.evaluator.host.HostCallException if the cluster does not return the resources that the
     *     policy was granted
     */
    DataDocument forPolicy(ModuleContext context) {
        var base = dialect.baseData(context);
        boolean contextAware = !context.caller().contextAwareResources().isEmpty();
        var snapshot = contextAware ? inventory.read(context.caller()) : List.<GatekeeperInventory.Listing>of();
        return Optional.ofNullable(latest.get(context.policyId()))
                .filter(document -> document.hasSources(base, snapshot))
                .orElseGet(() -> {
                    var json = contextAware ? dialect.inventory().document(base, snapshot) : base;
                    var document = new DataDocument(base, snapshot, json);
                    latest.put(context.policyId(), document);
                    return document;
                });
    }
}
