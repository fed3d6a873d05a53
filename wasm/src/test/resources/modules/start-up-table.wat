;; Changes a table, which no snapshot of memory holds.
(module
  (memory (export "memory") 1)
  (table $functions 1 funcref)
  (elem declare func $one)
  (func $one)
  (func (export "_start") (table.set $functions (i32.const 0) (ref.func $one))))
