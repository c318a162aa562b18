;; A picture of BGRX pixels as planes (I420) of BT.709 in limited range, each within one level of the
;; exact value. Weights: ITU-R BT.709-6, items 3.2 to 3.4, scaled to 219 and 224 levels.
(module
  (memory (export "memory") 1)

  ;; Green and blue of eight pixels, then red, as bytes.
  (func $blueGreen (param $at i32) (result v128)
    (i8x16.shuffle 0 4 8 12 16 20 24 28 1 5 9 13 17 21 25 29
      (v128.load (local.get $at)) (v128.load offset=16 (local.get $at))))
  (func $red (param $at i32) (result v128)
    (i16x8.extend_low_i8x16_u
      (i8x16.shuffle 2 6 10 14 18 22 26 30 2 6 10 14 18 22 26 30
        (v128.load (local.get $at)) (v128.load offset=16 (local.get $at)))))

  ;; Sixteen-bit colours by a 128th, weighted in 32,768ths.
  (func $weighed (param $b v128) (param $g v128) (param $r v128)
      (param $kb i32) (param $kg i32) (param $kr i32) (param $base i32) (result v128)
    (i16x8.shr_u
      (i16x8.add
        (i16x8.add
          (i16x8.q15mulr_sat_s (local.get $b) (i16x8.splat (local.get $kb)))
          (i16x8.q15mulr_sat_s (local.get $g) (i16x8.splat (local.get $kg))))
        (i16x8.add
          (i16x8.q15mulr_sat_s (local.get $r) (i16x8.splat (local.get $kr)))
          (i16x8.splat (local.get $base))))
      (i32.const 7)))

  (func $luma (param $b v128) (param $g v128) (param $r v128) (result v128)
    (local $y v128)
    (local.set $y (call $weighed
      (i16x8.shl (local.get $b) (i32.const 7))
      (i16x8.shl (local.get $g) (i32.const 7))
      (i16x8.shl (local.get $r) (i32.const 7))
      (i32.const 2032) (i32.const 20127) (i32.const 5983) (i32.const 2112)))
    (i8x16.narrow_i16x8_u (local.get $y) (local.get $y)))

  ;; Means of four pixels each, from the sums of two rows.
  (func $means (param $sums v128) (result v128)
    (local $four v128)
    (local.set $four (i32x4.extadd_pairwise_i16x8_u (local.get $sums)))
    (i16x8.shl (i16x8.narrow_i32x4_s (local.get $four) (local.get $four)) (i32.const 5)))

  ;; Eight pixels of two rows.
  (func $block (param $from i32) (param $below i32) (param $y i32) (param $yBelow i32)
      (param $u i32) (param $v i32)
    (local $bg v128) (local $b v128) (local $g v128) (local $r v128)
    (local $bs v128) (local $gs v128) (local $rs v128)
    (local.set $bg (call $blueGreen (local.get $from)))
    (local.set $bs (i16x8.extend_low_i8x16_u (local.get $bg)))
    (local.set $gs (i16x8.extend_high_i8x16_u (local.get $bg)))
    (local.set $rs (call $red (local.get $from)))
    (v128.store64_lane 0 (local.get $y)
      (call $luma (local.get $bs) (local.get $gs) (local.get $rs)))
    (local.set $bg (call $blueGreen (local.get $below)))
    (local.set $b (i16x8.extend_low_i8x16_u (local.get $bg)))
    (local.set $g (i16x8.extend_high_i8x16_u (local.get $bg)))
    (local.set $r (call $red (local.get $below)))
    (v128.store64_lane 0 (local.get $yBelow)
      (call $luma (local.get $b) (local.get $g) (local.get $r)))
    (local.set $b (call $means (i16x8.add (local.get $b) (local.get $bs))))
    (local.set $g (call $means (i16x8.add (local.get $g) (local.get $gs))))
    (local.set $r (call $means (i16x8.add (local.get $r) (local.get $rs))))
    (local.set $bs (call $weighed (local.get $b) (local.get $g) (local.get $r)
      (i32.const 14392) (i32.const -11094) (i32.const -3298) (i32.const 16448)))
    (local.set $rs (call $weighed (local.get $b) (local.get $g) (local.get $r)
      (i32.const -1319) (i32.const -13073) (i32.const 14392) (i32.const 16448)))
    (v128.store32_lane 0 (local.get $u) (i8x16.narrow_i16x8_u (local.get $bs) (local.get $bs)))
    (v128.store32_lane 0 (local.get $v) (i8x16.narrow_i16x8_u (local.get $rs) (local.get $rs))))

  ;; `width` and `height` are even, `width` is 8 or more.
  (func (export "convert") (param $from i32) (param $to i32) (param $width i32) (param $height i32)
    (local $row i32) (local $x i32) (local $above i32) (local $y i32) (local $u i32) (local $v i32)
    (local $half i32)
    (local.set $y (local.get $to))
    (local.set $u (i32.add (local.get $to) (i32.mul (local.get $width) (local.get $height))))
    (local.set $half (i32.shr_u (local.get $width) (i32.const 1)))
    (local.set $v (i32.add (local.get $u)
      (i32.mul (local.get $half) (i32.shr_u (local.get $height) (i32.const 1)))))
    (local.set $above (local.get $from))
    (loop $rows
      (local.set $x (i32.const 0))
      (loop $columns
        (call $block
          (i32.add (local.get $above) (i32.shl (local.get $x) (i32.const 2)))
          (i32.add (i32.add (local.get $above) (i32.shl (local.get $width) (i32.const 2)))
            (i32.shl (local.get $x) (i32.const 2)))
          (i32.add (local.get $y) (local.get $x))
          (i32.add (i32.add (local.get $y) (local.get $width)) (local.get $x))
          (i32.add (local.get $u) (i32.shr_u (local.get $x) (i32.const 1)))
          (i32.add (local.get $v) (i32.shr_u (local.get $x) (i32.const 1))))
        ;; The last block of a row may lie over the one before.
        (if (i32.lt_u (local.get $x) (i32.sub (local.get $width) (i32.const 8)))
          (then
            (local.set $x (i32.add (local.get $x) (i32.const 8)))
            (if (i32.gt_u (local.get $x) (i32.sub (local.get $width) (i32.const 8)))
              (then (local.set $x (i32.sub (local.get $width) (i32.const 8)))))
            (br $columns))))
      (local.set $row (i32.add (local.get $row) (i32.const 2)))
      (local.set $above (i32.add (local.get $above) (i32.shl (local.get $width) (i32.const 3))))
      (local.set $y (i32.add (local.get $y) (i32.shl (local.get $width) (i32.const 1))))
      (local.set $u (i32.add (local.get $u) (local.get $half)))
      (local.set $v (i32.add (local.get $v) (local.get $half)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $height))))))
