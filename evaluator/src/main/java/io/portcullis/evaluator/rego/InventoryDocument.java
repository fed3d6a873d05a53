package io.portcullis.evaluator.rego;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.rego.GatekeeperInventory.Listing;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds data documents from lists without parsing the objects: their bytes are copied to their place. */
final class InventoryDocument {

    private static final Logger log = LoggerFactory.getLogger(InventoryDocument.class);
    private static final String KUBERNETES = "kubernetes";

    private InventoryDocument() {}

    static byte[] opa(byte[] settings, List<Listing> listings) {
        var byPlural = new TreeMap<String, Branch>();
        for (var listing : listings) {
            for (var item : items(listing)) {
                var branch = byPlural.computeIfAbsent(listing.plural(), _ -> new Branch());
                if (item.namespace.isEmpty()) {
                    branch.put(item.name, item.json);
                } else {
                    branch.child(item.namespace).put(item.name, item.json);
                }
            }
        }
        byPlural.forEach((plural, branch) -> {
            if (!branch.leaves.isEmpty() && !branch.children.isEmpty()) {
                throw new HostCallException("resources named " + plural
                        + " are both namespaced and cluster wide: they cannot share one place in the inventory");
            }
        });
        var out = new ByteArrayOutputStream();
        out.writeBytes(openWithSettings(settings));
        key(out, KUBERNETES);
        out.write('{');
        write(out, byPlural);
        out.write('}');
        out.write('}');
        return out.toByteArray();
    }

    static byte[] gatekeeper(List<Listing> listings) {
        var cluster = new Branch();
        var namespaces = new Branch();
        for (var listing : listings) {
            for (var item : items(listing)) {
                var top = item.namespace.isEmpty() ? cluster : namespaces.child(item.namespace);
                top.child(listing.resource().apiVersion())
                        .child(listing.resource().kind())
                        .put(item.name, item.json);
            }
        }
        var out = new ByteArrayOutputStream();
        out.writeBytes("{\"inventory\":{".getBytes(StandardCharsets.US_ASCII));
        write(out, new TreeMap<>(Map.of("cluster", cluster, "namespace", namespaces)));
        out.writeBytes("}}".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    /** Returns the settings as an open JSON object, ready for the next key. */
    private static byte[] openWithSettings(byte[] settings) {
        var tree = JsonTree.parse(settings);
        if (tree instanceof ObjectNode object && object.has(KUBERNETES)) {
            log.atWarn().addKeyValue("key", KUBERNETES).log("the inventory replaces the setting with this key");
            object.remove(KUBERNETES);
        }
        var open = JsonTree.serialise(tree);
        open[open.length - 1] = ',';
        return tree.isEmpty() ? new byte[] {'{'} : open;
    }

    private static List<Item> items(Listing listing) {
        var items = new ArrayList<Item>();
        try {
            var in = new JsonScanner(listing.json());
            in.enterObject("a list of Kubernetes objects");
            for (var key = in.nextKey(); key != null; key = in.nextKey()) {
                if (key.equals("items")) {
                    in.enterList("objects");
                    while (in.nextItem()) {
                        items.add(item(in, listing));
                    }
                } else {
                    in.skipValue();
                }
            }
            in.finish();
        } catch (JsonException e) {
            throw new HostCallException("cannot read the list of " + listing.resource() + ": " + e.getMessage(), e);
        }
        return items;
    }

    private static Item item(JsonScanner in, Listing listing) {
        in.peek();
        int start = in.position();
        var name = "";
        var namespace = "";
        in.enterObject("an object");
        for (var key = in.nextKey(); key != null; key = in.nextKey()) {
            if (key.equals("metadata")) {
                in.enterObject("metadata");
                for (var field = in.nextKey(); field != null; field = in.nextKey()) {
                    switch (field) {
                        case "name" -> name = in.skipNull() ? "" : in.readString();
                        case "namespace" -> namespace = in.skipNull() ? "" : in.readString();
                        default -> in.skipValue();
                    }
                }
            } else {
                in.skipValue();
            }
        }
        if (name.isEmpty()) {
            throw new HostCallException("an object of " + listing.resource() + " has no name");
        }
        return new Item(namespace, name, new Range(listing.json(), start, in.position()));
    }

    private static void write(ByteArrayOutputStream out, Map<String, Branch> branches) {
        var separator = "";
        for (var branch : branches.entrySet()) {
            out.writeBytes(separator.getBytes(StandardCharsets.US_ASCII));
            key(out, branch.getKey());
            branch.getValue().write(out);
            separator = ",";
        }
    }

    private static void key(ByteArrayOutputStream out, String key) {
        out.write('"');
        out.writeBytes(JsonStringEncoder.getInstance().quoteAsUTF8(key));
        out.write('"');
        out.write(':');
    }

    private record Item(String namespace, String name, Range json) {}

    /** A range of bytes in a list; the bytes are copied only when they are written. */
    private record Range(byte[] source, int start, int end) {}

    /** An object of the document under construction. It contains either branches or Kubernetes objects. */
    private static final class Branch {
        private final TreeMap<String, Branch> children = new TreeMap<>();
        private final TreeMap<String, Range> leaves = new TreeMap<>();

        Branch child(String key) {
            return children.computeIfAbsent(key, _ -> new Branch());
        }

        void put(String key, Range json) {
            leaves.put(key, json);
        }

        void write(ByteArrayOutputStream out) {
            out.write('{');
            InventoryDocument.write(out, children);
            var separator = children.isEmpty() ? "" : ",";
            for (var leaf : leaves.entrySet()) {
                out.writeBytes(separator.getBytes(StandardCharsets.US_ASCII));
                key(out, leaf.getKey());
                out.write(leaf.getValue().source, leaf.getValue().start, leaf.getValue().end - leaf.getValue().start);
                separator = ",";
            }
            out.write('}');
        }
    }
}
