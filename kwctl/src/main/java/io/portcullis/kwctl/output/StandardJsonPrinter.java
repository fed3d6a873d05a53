package io.portcullis.kwctl.output;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;

/** A JSON printer with the usual pretty format: two spaces, {@code "key": value}, one element per line. */
final class StandardJsonPrinter extends DefaultPrettyPrinter {

    private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");

    StandardJsonPrinter() {
        super(Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator(""));
        indentArraysWith(INDENTER);
        indentObjectsWith(INDENTER);
    }

    @Override
    public StandardJsonPrinter createInstance() {
        return new StandardJsonPrinter();
    }
}
