;; Not a command: nothing to start.
(module (memory (export "memory") 1))
