;; Sleeps for an hour in poll_oneoff.
(module
  (import "wapc" "__guest_response" (func $respond (param i32 i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"valid\":true}")
  (data (i32.const 64) "\"v1\"")
  (data (i32.const 256) "{\"accepted\":true}")
  (func (export "__guest_call") (param $operation_length i32) (param $payload_length i32) (result i32)
    ;; protocol_version has 16 letters, validate_settings 17, validate 8
    (if (i32.eq (local.get $operation_length) (i32.const 16))
      (then (call $respond (i32.const 64) (i32.const 4)) (return (i32.const 1))))
    (if (i32.eq (local.get $operation_length) (i32.const 17))
      (then (call $respond (i32.const 16) (i32.const 14)) (return (i32.const 1))))
    (i32.store (i32.const 528) (i32.const 1))
    (i64.store (i32.const 536) (i64.const 3600000000000))
    (drop (call $poll (i32.const 512) (i32.const 1024) (i32.const 1) (i32.const 2048)))
    (call $respond (i32.const 256) (i32.const 17))
    (i32.const 1)))
