;; A WASI command: its settings are fine, its verdict is no JSON. The two differ by the length of the arguments.
(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 32) "\80\00\00\00\0e\00\00\00")
  (data (i32.const 40) "\c0\00\00\00\0d\00\00\00")
  (data (i32.const 128) "{\"valid\":true}")
  (data (i32.const 192) "no JSON today")
  (func (export "_start")
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $write
      (i32.const 1)
      (select (i32.const 32) (i32.const 40) (i32.gt_u (i32.load (i32.const 4)) (i32.const 25)))
      (i32.const 1) (i32.const 8)))))
