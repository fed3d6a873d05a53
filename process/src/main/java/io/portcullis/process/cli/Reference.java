package io.portcullis.process.cli;

import java.util.List;

/** Writes the flags of a program as a Markdown page. */
public final class Reference {

    private Reference() {}

    public static String markdown(String program, String description, List<Flag<?>> flags) {
        var page = new StringBuilder();
        page.append("# ").append(program).append("\n\n").append(description).append("\n\n");
        page.append(
                        "Switches take `true`, `false`, `1`, `0`, `yes`, `no`, `on` or `off`, in the environment and after ")
                .append("`=`; alone they mean `true`. The command line wins over the environment.\n\n");
        page.append("| flag | environment | default | meaning |\n|---|---|---|---|\n");
        for (var flag : flags) {
            if (flag.form().isHidden()) {
                continue;
            }
            page.append("| ").append(code(usage(flag)));
            page.append(" | ").append(code(flag.variable()));
            page.append(" | ").append(code(flag.defaultText().orElse("")));
            page.append(" | ").append(flag.help()).append(" |\n");
        }
        return page.toString();
    }

    private static String usage(Flag<?> flag) {
        var shortName = flag.form().shortName().isEmpty() ? "" : flag.form().shortName() + ", ";
        return flag.form().isSwitch()
                ? shortName + flag.name()
                : shortName + flag.name() + " " + flag.form().parameter().replace("|", "\\|");
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }
}
