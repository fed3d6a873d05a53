;; Copies a passive segment.
(module
  (memory (export "memory") 1)
  (data $text "hello")
  (func (export "_start") (memory.init $text (i32.const 0) (i32.const 0) (i32.const 5)) (data.drop $text)))
