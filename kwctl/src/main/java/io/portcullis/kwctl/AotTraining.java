package io.portcullis.kwctl;

import java.util.ArrayList;
import java.util.List;

/**
 * What the AOT cache of the program is made of: several command lines in one process, each ended by the word {@code ;}. What
 * they load and link, the program need not do again when it starts. Run by {@code distribution/launcher/train.sh} only.
 */
public final class AotTraining {

    private AotTraining() {}

    public static void main(String[] words) {
        var line = new ArrayList<String>();
        for (var word : words) {
            if (word.equals(";")) {
                Main.run(List.copyOf(line));
                line.clear();
            } else {
                line.add(word);
            }
        }
        System.exit(0);
    }
}
