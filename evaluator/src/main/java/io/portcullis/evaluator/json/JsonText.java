package io.portcullis.evaluator.json;

import java.nio.charset.StandardCharsets;

/** Decodes the content of string literals: multi-byte characters and escapes. */
final class JsonText {

    private JsonText() {}

    /**
     * Returns the number of bytes of the non-ASCII character at {@code position}.
     *
     * @return 0 unless the character is UTF-8 in its shortest form, not a surrogate and at most U+10FFFF
     */
    static int sequenceLength(byte[] input, int position) {
        int lead = input[position] & 0xff;
        int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        if (lead < 0xc2 || lead > 0xf4 || position + length > input.length) {
            return 0;
        }
        int second = input[position + 1] & 0xff;
        boolean valid = switch (lead) {
            case 0xe0 -> second >= 0xa0;
            case 0xed -> second < 0xa0;
            case 0xf0 -> second >= 0x90;
            case 0xf4 -> second < 0x90;
            default -> true;
        };
        for (int i = 1; i < length; i++) {
            valid &= (input[position + i] & 0xc0) == 0x80;
        }
        return valid ? length : 0;
    }

    /** Returns the value of the string literal whose opening quote is at {@code quote}. The literal must be valid. */
    static String at(int quote, byte[] input) {
        int end = quote + 1;
        boolean escaped = false;
        while (input[end] != '"') {
            escaped |= input[end] == '\\';
            end += input[end] == '\\' ? 2 : 1;
        }
        var raw = new String(input, quote + 1, end - quote - 1, StandardCharsets.UTF_8);
        return escaped ? unescape(raw) : raw;
    }

    private static String unescape(String raw) {
        var text = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            c = raw.charAt(++i);
            switch (c) {
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
                    i += 4;
                }
                default -> text.append(c);
            }
        }
        return text.toString();
    }
}
