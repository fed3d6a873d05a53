;; Imports its memory and exports it again, writes to it in its start section: the shape of Rego modules.
(module
  (import "env" "memory" (memory 2))
  (import "env" "note" (func $note (param i32)))
  (export "memory" (memory 0))
  (global $boots (mut i32) (i32.const 0))
  (func $boot
    (global.set $boots (i32.add (global.get $boots) (i32.const 1)))
    (call $note (i32.const 5))
    (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (i32.const 41))))
  (start $boot)
  (data (i32.const 8) "\01\00\00\00")
  (func (export "answer") (result i32) (call $note (i32.load (i32.const 8))) (i32.load (i32.const 8)))
  (func (export "_start") unreachable)
  (func (export "boots") (result i32) (global.get $boots))
  (func (export "poke") (param i32) (i32.store (i32.const 8) (local.get 0))))
