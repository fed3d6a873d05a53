import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands in for an API server while programs are trained: accepts and returns every write without storing it, and lists only
 * the objects of the given files. {@code train.sh} runs it from source; it is not a part of the product.
 *
 * <p>Usage: {@code java EmptyApiServer.java PORT [PLURAL=FILE…]}: the file is the one item in the list of that plural.
 */
final class EmptyApiServer {

    private static final CountDownLatch FOREVER = new CountDownLatch(1);
    private static final AtomicLong VERSION = new AtomicLong(1);

    public static void main(String[] arguments) throws IOException {
        var items = new HashMap<String, String>();
        for (var word : List.of(arguments).subList(1, arguments.length)) {
            var parts = word.split("=", 2);
            items.put(parts[0], Files.readString(Path.of(parts[1])));
        }
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        var server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> answer(exchange, items));
        server.start();
    }

    private static void answer(HttpExchange exchange, Map<String, String> items) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var query = String.valueOf(exchange.getRequestURI().getQuery());
            if (exchange.getRequestMethod().equals("GET")) {
                if (query.contains("watch=true")) {
                    watch(exchange);
                } else {
                    get(exchange, items);
                }
            } else if (body.contains("\"metadata\":{")) {
                send(exchange, 200, stored(body));
            } else if (body.startsWith("{") && body.contains("\"kind\"")) {
                send(exchange, 201, stored(body.replaceFirst("\\{", "{\"metadata\":{},")));
            } else {
                send(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404,\"reason\":\"NotFound\"}");
            }
        }
    }

    /** Nothing ever happens here. A client that wants a web socket learns that there is none and asks again without. */
    private static void watch(HttpExchange exchange) throws IOException {
        if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
            send(exchange, 200, "");
            return;
        }
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        try {
            FOREVER.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void get(HttpExchange exchange, Map<String, String> items) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var last = path.substring(path.lastIndexOf('/') + 1);
        if (last.equals("version")) {
            send(exchange, 200, "{\"major\":\"1\",\"minor\":\"35\",\"gitVersion\":\"v1.35.0\"}");
        } else if (isPlural(last)) {
            send(
                    exchange,
                    200,
                    "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                            + items.getOrDefault(last, "") + "]}");
        } else {
            send(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":404,\"reason\":\"NotFound\"}");
        }
    }

    /** Names of our objects in training have a dash, kinds never. */
    private static boolean isPlural(String word) {
        return word.endsWith("s") && !word.contains("-");
    }

    private static String stored(String body) {
        if (body.contains("\"SelfSubjectReview\"")) {
            return "{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/v1\","
                    + "\"status\":{\"userInfo\":{\"username\":\"nobody\"}}}";
        }
        // What is put in front may be all there is: "metadata":{…,} becomes valid when it is sent.
        return body.replaceFirst(
                "\"metadata\":\\{(\"resourceVersion\":\"[^\"]*\",?)?",
                "\"metadata\":{\"uid\":\"training\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"resourceVersion\":\""
                        + VERSION.incrementAndGet() + "\",");
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        var bytes = body.replace(",}", "}").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
