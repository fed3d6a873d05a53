;; Uses vector instructions and exports a vector global.
(module
  (global (export "vector") v128 (v128.const i32x4 1 2 3 4))
  (func (export "vectors") (result v128) (v128.const i32x4 1 2 3 4))
  (func (export "lane") (result i32)
    (i32x4.extract_lane 2 (v128.const i32x4 1 2 3 4))))
