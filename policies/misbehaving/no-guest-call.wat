;; Lacks __guest_call altogether.
(module
  (memory (export "memory") 1)
  (func (export "something_else") (result i32) (i32.const 1)))
