package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.json.CanonicalJson;
import java.util.List;
import java.util.Map;

/** Renders {@code sources.yml}: the sources that policies may come from. The format is JSON, which is valid YAML. */
final class SourcesFile {

    static final String NAME = "sources.yml";
    static final String AUTHORITIES = "source_authorities";

    private SourcesFile() {}

    /**
     * Equal sources give equal text, whatever their order in the map.
     *
     * @param authorities certificates in PEM, by host
     */
    static String of(List<String> insecureSources, Map<String, List<String>> authorities) {
        var file = JsonNodeFactory.instance.objectNode();
        var insecure = file.putArray("insecure_sources");
        insecureSources.forEach(insecure::add);
        var byHost = file.putObject(AUTHORITIES);
        authorities.forEach((host, certificates) -> {
            var list = byHost.putArray(host);
            certificates.forEach(
                    certificate -> list.addObject().put("type", "Data").put("data", certificate));
        });
        return CanonicalJson.text(file);
    }
}
