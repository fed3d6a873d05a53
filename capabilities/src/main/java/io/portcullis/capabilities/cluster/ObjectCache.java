package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.host.FieldMasks;
import io.portcullis.evaluator.host.HostJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one watched list as the JSON that policies receive. An object is serialised when it changes. The list is
 * joined on the first read after a change, and the same array is returned until the next change. Thread-safe.
 */
final class ObjectCache {

    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private final ResourceType type;
    private final FieldMasks masks;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<String, byte[]> objects = new TreeMap<>();
    private byte @Nullable [] joined;

    ObjectCache(ResourceType type, FieldMasks masks) {
        this.type = type;
        this.masks = masks;
    }

    /** Replaces all objects. */
    void replace(Iterable<JsonNode> all) {
        var replacement = new TreeMap<String, byte[]>();
        all.forEach(object -> replacement.put(key(object), json((ObjectNode) object)));
        lock.lock();
        try {
            objects = replacement;
            joined = null;
        } finally {
            lock.unlock();
        }
    }

    void put(ObjectNode object) {
        var json = json(object);
        lock.lock();
        try {
            objects.put(key(object), json);
            joined = null;
        } finally {
            lock.unlock();
        }
    }

    void remove(ObjectNode object) {
        lock.lock();
        try {
            objects.remove(key(object));
            joined = null;
        } finally {
            lock.unlock();
        }
    }

    byte[] list() {
        lock.lock();
        try {
            if (joined == null) {
                joined = join();
            }
            return joined;
        } finally {
            lock.unlock();
        }
    }

    private byte[] join() {
        var head = "{\"apiVersion\":\"%s\",\"kind\":\"%sList\",\"metadata\":{},\"items\":["
                .formatted(type.apiVersion(), type.kind());
        int size =
                objects.values().stream().mapToInt(object -> object.length + 1).sum();
        var out = new ByteArrayOutputStream(head.length() + size + 2);
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        boolean first = true;
        for (var object : objects.values()) {
            if (!first) {
                out.write(',');
            }
            out.writeBytes(object);
            first = false;
        }
        out.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    private static String key(JsonNode object) {
        var metadata = object.path("metadata");
        return metadata.path("namespace").asText() + "/" + metadata.path("name").asText();
    }

    /** Serialises an object with its kind, without managed fields and without the last-applied annotation, to save memory. */
    private byte[] json(ObjectNode object) {
        var copy = object.objectNode();
        copy.put("apiVersion", type.apiVersion());
        copy.put("kind", type.kind());
        object.properties().forEach(field -> copy.set(field.getKey(), field.getValue()));
        var metadata = copy.withObject("/metadata");
        metadata.putArray("managedFields");
        if (metadata.path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(LAST_APPLIED);
        } else {
            metadata.putObject("annotations");
        }
        return HostJson.write(masks.apply(copy));
    }
}
