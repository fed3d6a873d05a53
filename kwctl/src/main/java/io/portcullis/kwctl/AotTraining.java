package io.portcullis.kwctl;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs several command lines in one process to record the AOT cache of the program.
 *
 * <p>The argument {@code ;} ends each command line. The cache holds the classes that these commands load and link, so that
 * {@code kwctl} starts faster. Only {@code distribution/launcher/train.sh} runs this class.
 */
public final class AotTraining {

    private AotTraining() {}

    public static void main(String[] arguments) {
        var line = new ArrayList<String>();
        for (var argument : arguments) {
            if (argument.equals(";")) {
                Main.run(List.copyOf(line));
                line.clear();
            } else {
                line.add(argument);
            }
        }
        System.exit(0);
    }
}
