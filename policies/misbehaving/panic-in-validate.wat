;; Panics as a policy in Rust does: writes the panic message to standard error, and traps in a function of its language.
(module
  (import "wapc" "__guest_response" (func $respond (param i32 i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"valid\":true}")
  (data (i32.const 64) "\"v1\"")
  ;; one vector of 121 bytes at 128
  (data (i32.const 112) "\80\00\00\00\79\00\00\00")
  (data (i32.const 128) "parsing\n\nthread '<unnamed>' panicked at src/lib.rs:7:5:\nthe pod has \1b[31mno containers\nnote: run with `RUST_BACKTRACE=1`\n")
  (func $core::panicking::panic_fmt::h0123456789abcdef
    (drop (call $write (i32.const 2) (i32.const 112) (i32.const 1) (i32.const 1024)))
    (unreachable))
  (func $my_policy::first_container::h0123456789abcdef
    (call $core::panicking::panic_fmt::h0123456789abcdef))
  (func $my_policy::validate::h0123456789abcdef
    (call $my_policy::first_container::h0123456789abcdef))
  (func (export "__guest_call") (param $operation_length i32) (param $payload_length i32) (result i32)
    ;; protocol_version has 16 letters, validate_settings 17, validate 8
    (if (i32.eq (local.get $operation_length) (i32.const 16))
      (then (call $respond (i32.const 64) (i32.const 4)) (return (i32.const 1))))
    (if (i32.eq (local.get $operation_length) (i32.const 17))
      (then (call $respond (i32.const 16) (i32.const 14)) (return (i32.const 1))))
    (call $my_policy::validate::h0123456789abcdef)
    (i32.const 0)))
