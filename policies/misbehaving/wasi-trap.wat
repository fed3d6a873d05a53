;; A WASI command that traps and says nothing.
(module
  (memory (export "memory") 1)
  (func (export "_start") unreachable))
