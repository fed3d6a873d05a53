package io.portcullis.kwctl.output;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;

/** Two spaces, {@code "key": value}, every element on its own line: what other tools call pretty. */
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
