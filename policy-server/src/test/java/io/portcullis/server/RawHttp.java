package io.portcullis.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Sends raw bytes over a socket and reads one answer, without an HTTP client library. */
record RawHttp(int port) {

    record Answer(int status, String head, String body) {

        String header(String name) {
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    Answer get(String path) throws IOException {
        return send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", new byte[0]);
    }

    Answer post(String path, String json) throws IOException {
        return post(path, json.getBytes(StandardCharsets.UTF_8));
    }

    Answer post(String path, byte[] json) throws IOException {
        return send(
                "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + json.length + "\r\n\r\n",
                json);
    }

    Answer send(String head, byte[] body) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            var out = socket.getOutputStream();
            out.write(head.getBytes(StandardCharsets.UTF_8));
            try {
                out.write(body);
                out.flush();
            } catch (IOException e) {
                // the server may have answered and closed the connection before the end of a refused body
            }
            return parse(readAll(socket));
        }
    }

    private static byte[] readAll(Socket socket) throws IOException {
        var all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (IOException e) {
            if (all.size() == 0) {
                throw e;
            }
        }
        return all.toByteArray();
    }

    static Answer parse(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.UTF_8);
        var end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Answer(0, text, "");
        }
        var status = Integer.parseInt(text.substring(9, 12));
        return new Answer(status, text.substring(0, end), text.substring(end + 4));
    }
}
