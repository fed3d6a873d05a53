;; A WASI command that mixes a log line into its standard output.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "starting\n{\"accepted\":true}")
  (data (i32.const 0) "\10\00\00\00\1a\00\00\00")
  (func (export "_start")
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))
