;; Has more tables than a slot of the pool.
(module
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table (export "references") 1 externref)
  (func (export "keep") (param externref) (result externref) (local.get 0))
  (func (export "one") (result i32) (i32.const 1)))
