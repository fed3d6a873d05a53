package io.portcullis.artifacts.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes the subset of the tar format that policy archives use: regular files. For names longer than 100
 * bytes it writes PAX records, and reads PAX and GNU records.
 */
final class Tar {

    private static final int BLOCK = 512;
    private static final int NAME_LENGTH = 100;
    private static final long MAX_RECORD_BYTES = 1 << 20;
    private static final byte REGULAR = '0';
    private static final byte OLD_REGULAR = 0;
    private static final byte PAX = 'x';
    private static final byte PAX_GLOBAL = 'g';
    private static final byte GNU_LONG_NAME = 'L';
    private static final byte DIRECTORY = '5';

    private Tar() {}

    /** @param isFile false for links, devices and other special entries */
    record Entry(String name, long size, boolean isFile, boolean isDirectory) {}

    /** Writes entries, and the end marker on close. */
    static final class Writer implements AutoCloseable {

        private final OutputStream out;

        Writer(OutputStream out) {
            this.out = out;
        }

        void add(String name, byte[] content) throws IOException {
            var bytes = name.getBytes(StandardCharsets.UTF_8);
            if (bytes.length > NAME_LENGTH || bytes.length != name.length()) {
                write("pax", PAX, record("path", name));
            }
            write(name, REGULAR, content);
        }

        private static byte[] record(String key, String value) {
            var rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8);
            // The length includes its own digits.
            int length = rest.length + 1;
            while (length != rest.length + Integer.toString(length).length()) {
                length = rest.length + Integer.toString(length).length();
            }
            return (length + new String(rest, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }

        private void write(String name, byte type, byte[] content) throws IOException {
            var header = new byte[BLOCK];
            var bytes = name.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(bytes, 0, header, 0, Math.min(bytes.length, NAME_LENGTH));
            put(header, 100, "0000644\0");
            put(header, 108, "0000000\0");
            put(header, 116, "0000000\0");
            put(header, 124, "%011o\0".formatted(content.length));
            put(header, 136, "00000000000\0");
            put(header, 148, "        ");
            header[156] = type;
            put(header, 257, "ustar\00000");
            int sum = 0;
            for (byte each : header) {
                sum += each & 0xff;
            }
            put(header, 148, "%06o\0 ".formatted(sum));
            out.write(header);
            out.write(content);
            out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        }

        private static void put(byte[] header, int at, String text) {
            var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            System.arraycopy(bytes, 0, header, at, bytes.length);
        }

        @Override
        public void close() throws IOException {
            out.write(new byte[2 * BLOCK]);
        }
    }

    /** Reads entries in order. Read the content of an entry before the next entry. */
    static final class Reader {

        private final InputStream in;
        private long unread;
        private long padding;

        Reader(InputStream in) {
            this.in = in;
        }

        Optional<Entry> next() throws IOException {
            Map<String, String> pax = new HashMap<>();
            while (true) {
                in.skipNBytes(unread + padding);
                var header = in.readNBytes(BLOCK);
                if (header.length < BLOCK || isEmpty(header)) {
                    return Optional.empty();
                }
                unread = size(header);
                padding = (BLOCK - unread % BLOCK) % BLOCK;
                byte type = header[156];
                switch (type) {
                    case PAX -> parse(record(), pax);
                    case PAX_GLOBAL -> record();
                    case GNU_LONG_NAME -> pax.put("path", text(record(), 0, Integer.MAX_VALUE));
                    default -> {
                        var name = pax.getOrDefault("path", ustarName(header));
                        return Optional.of(
                                new Entry(name, unread, type == REGULAR || type == OLD_REGULAR, type == DIRECTORY));
                    }
                }
            }
        }

        byte[] content(long limit) throws IOException {
            if (unread > limit) {
                throw new IOException("an entry is larger than " + limit + " bytes");
            }
            var bytes = in.readNBytes((int) unread);
            if (bytes.length < unread) {
                throw new IOException("the archive is cut off");
            }
            unread = 0;
            return bytes;
        }

        private byte[] record() throws IOException {
            return content(MAX_RECORD_BYTES);
        }

        private static boolean isEmpty(byte[] header) {
            return Arrays.equals(header, new byte[BLOCK]);
        }

        private static long size(byte[] header) throws IOException {
            try {
                var text = text(header, 124, 12).strip();
                long size = text.isEmpty() ? 0 : Long.parseLong(text, 8);
                if (size >= 0) {
                    return size;
                }
            } catch (NumberFormatException e) {
                throw new IOException("not a tape archive", e);
            }
            throw new IOException("not a tape archive");
        }

        private static String ustarName(byte[] header) {
            var prefix = text(header, 257, 5).equals("ustar") ? text(header, 345, 155) : "";
            var name = text(header, 0, NAME_LENGTH);
            return prefix.isEmpty() ? name : prefix + "/" + name;
        }

        private static String text(byte[] bytes, int from, int length) {
            int end = from;
            while (end < bytes.length && end - from < length && bytes[end] != 0) {
                end++;
            }
            return new String(bytes, from, end - from, StandardCharsets.UTF_8);
        }

        private static void parse(byte[] records, Map<String, String> into) throws IOException {
            for (int at = 0; at < records.length; ) {
                int space = at;
                while (space < records.length && records[space] != ' ') {
                    space++;
                }
                try {
                    int length = Integer.parseInt(text(records, at, space - at));
                    var record = text(records, space + 1, length - (space + 1 - at) - 1);
                    int equals = record.indexOf('=');
                    if (length <= 0 || at + length > records.length || equals < 0) {
                        throw new IOException("malformed record in the archive");
                    }
                    into.put(record.substring(0, equals), record.substring(equals + 1));
                    at += length;
                } catch (NumberFormatException e) {
                    throw new IOException("malformed record in the archive", e);
                }
            }
        }
    }
}
