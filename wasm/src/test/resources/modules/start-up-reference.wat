;; Keeps a reference in a global.
(module
  (memory (export "memory") 1)
  (global $kept (mut funcref) (ref.null func))
  (func $one)
  (elem declare func $one)
  (func (export "_start") (global.set $kept (ref.func $one))))
