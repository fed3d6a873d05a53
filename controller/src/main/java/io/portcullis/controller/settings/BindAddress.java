package io.portcullis.controller.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Parses listen addresses in upstream's format: {@code :8081}, {@code 127.0.0.1:8081}, {@code [::1]:8081}; {@code 0}
 * means none.
 */
final class BindAddress {

    private static final Pattern FORM = Pattern.compile("(|[0-9.]+|\\[[0-9a-fA-F:.]+])(?::([0-9]{1,5}))");
    private static final int LAST_PORT = 65535;

    private BindAddress() {}

    /** @throws IllegalArgumentException with the expected format */
    static Optional<InetSocketAddress> parse(String text) {
        if (text.equals("0")) {
            return Optional.empty();
        }
        var matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > LAST_PORT) {
            throw new IllegalArgumentException("expected an address such as :8081 or 127.0.0.1:8081, or 0 for none");
        }
        var port = Integer.parseInt(matcher.group(2));
        if (matcher.group(1).isEmpty()) {
            return Optional.of(new InetSocketAddress(port));
        }
        try {
            return Optional.of(new InetSocketAddress(InetAddress.getByName(matcher.group(1)), port));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("expected an IP address before the port", e);
        }
    }
}
