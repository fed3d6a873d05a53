package io.portcullis.kwctl.completion;

import io.portcullis.kwctl.cli.Page;
import java.util.List;
import java.util.Locale;

/** The shells we write completions for. */
public enum Shell {
    BASH {
        @Override
        public String script(List<Page> pages) {
            return Bash.script(pages);
        }
    },
    ELVISH {
        @Override
        public String script(List<Page> pages) {
            return Elvish.script(pages);
        }
    },
    FISH {
        @Override
        public String script(List<Page> pages) {
            return Fish.script(pages);
        }
    },
    POWERSHELL {
        @Override
        public String script(List<Page> pages) {
            return PowerShell.script(pages);
        }
    },
    ZSH {
        @Override
        public String script(List<Page> pages) {
            return Zsh.script(pages);
        }
    };

    public abstract String script(List<Page> pages);

    public String shellName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
