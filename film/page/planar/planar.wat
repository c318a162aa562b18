;; A picture of BGRX pixels as planes (I420) of BT.709 in limited range, each within one level of the
;; exact value. Weights: ITU-R BT.709-6, items 3.2 to 3.4, scaled to 219 and 224 levels; colours are
;; 128ths, weights 32,768ths. What could be a function is written out, because calls cost as much.
(module
  (memory (export "memory") 1)

  ;; `width` and `height` are even, `width` is 8 or more.
  (func (export "convert") (param $from i32) (param $to i32) (param $width i32) (param $height i32)
    (local $row i32) (local $x i32) (local $above i32) (local $below i32)
    (local $y i32) (local $u i32) (local $v i32) (local $half i32) (local $last i32)
    (local $bg v128) (local $r v128) (local $bs v128) (local $gs v128) (local $rs v128)
    (local $kb v128) (local $kg v128) (local $kr v128) (local $base v128) (local $middle v128)
    (local.set $kb (i16x8.splat (i32.const 2032)))
    (local.set $kg (i16x8.splat (i32.const 20127)))
    (local.set $kr (i16x8.splat (i32.const 5983)))
    (local.set $base (i16x8.splat (i32.const 2112)))
    (local.set $middle (i16x8.splat (i32.const 16448)))
    (local.set $y (local.get $to))
    (local.set $u (i32.add (local.get $to) (i32.mul (local.get $width) (local.get $height))))
    (local.set $half (i32.shr_u (local.get $width) (i32.const 1)))
    (local.set $v (i32.add (local.get $u)
      (i32.mul (local.get $half) (i32.shr_u (local.get $height) (i32.const 1)))))
    (local.set $last (i32.sub (local.get $width) (i32.const 8)))
    (loop $rows
      (local.set $x (i32.const 0))
      (loop $columns
        (local.set $above (i32.add (local.get $from) (i32.shl (local.get $x) (i32.const 2))))
        (local.set $below
          (i32.add (local.get $above) (i32.shl (local.get $width) (i32.const 2))))
        ;; Eight pixels of the upper row: blue and green, then red, as bytes.
        (local.set $bg (i8x16.shuffle 0 4 8 12 16 20 24 28 1 5 9 13 17 21 25 29
          (v128.load (local.get $above)) (v128.load offset=16 (local.get $above))))
        (local.set $r (i8x16.shuffle 2 6 10 14 18 22 26 30 2 6 10 14 18 22 26 30
          (v128.load (local.get $above)) (v128.load offset=16 (local.get $above))))
        (local.set $bs (i16x8.extend_low_i8x16_u (local.get $bg)))
        (local.set $gs (i16x8.extend_high_i8x16_u (local.get $bg)))
        (local.set $rs (i16x8.extend_low_i8x16_u (local.get $r)))
        (local.set $r (i16x8.shr_u
          (i16x8.add
            (i16x8.add
              (i16x8.q15mulr_sat_s (i16x8.shl (local.get $bs) (i32.const 7)) (local.get $kb))
              (i16x8.q15mulr_sat_s (i16x8.shl (local.get $gs) (i32.const 7)) (local.get $kg)))
            (i16x8.add
              (i16x8.q15mulr_sat_s (i16x8.shl (local.get $rs) (i32.const 7)) (local.get $kr))
              (local.get $base)))
          (i32.const 7)))
        (v128.store64_lane 0 (i32.add (local.get $y) (local.get $x))
          (i8x16.narrow_i16x8_u (local.get $r) (local.get $r)))
        ;; The lower row, and the sums of both.
        (local.set $bg (i8x16.shuffle 0 4 8 12 16 20 24 28 1 5 9 13 17 21 25 29
          (v128.load (local.get $below)) (v128.load offset=16 (local.get $below))))
        (local.set $r (i16x8.extend_low_i8x16_u
          (i8x16.shuffle 2 6 10 14 18 22 26 30 2 6 10 14 18 22 26 30
            (v128.load (local.get $below)) (v128.load offset=16 (local.get $below)))))
        (local.set $bs
          (i16x8.add (local.get $bs) (i16x8.extend_low_i8x16_u (local.get $bg))))
        (local.set $gs
          (i16x8.add (local.get $gs) (i16x8.extend_high_i8x16_u (local.get $bg))))
        (local.set $rs (i16x8.add (local.get $rs) (local.get $r)))
        (local.set $r (i16x8.shr_u
          (i16x8.add
            (i16x8.add
              (i16x8.q15mulr_sat_s
                (i16x8.shl (i16x8.extend_low_i8x16_u (local.get $bg)) (i32.const 7))
                (local.get $kb))
              (i16x8.q15mulr_sat_s
                (i16x8.shl (i16x8.extend_high_i8x16_u (local.get $bg)) (i32.const 7))
                (local.get $kg)))
            (i16x8.add
              (i16x8.q15mulr_sat_s (i16x8.shl (local.get $r) (i32.const 7)) (local.get $kr))
              (local.get $base)))
          (i32.const 7)))
        (v128.store64_lane 0
          (i32.add (i32.add (local.get $y) (local.get $width)) (local.get $x))
          (i8x16.narrow_i16x8_u (local.get $r) (local.get $r)))
        ;; Means of four pixels each.
        (local.set $bs (i32x4.extadd_pairwise_i16x8_u (local.get $bs)))
        (local.set $gs (i32x4.extadd_pairwise_i16x8_u (local.get $gs)))
        (local.set $rs (i32x4.extadd_pairwise_i16x8_u (local.get $rs)))
        (local.set $bs (i16x8.shl
          (i16x8.narrow_i32x4_s (local.get $bs) (local.get $bs)) (i32.const 5)))
        (local.set $gs (i16x8.shl
          (i16x8.narrow_i32x4_s (local.get $gs) (local.get $gs)) (i32.const 5)))
        (local.set $rs (i16x8.shl
          (i16x8.narrow_i32x4_s (local.get $rs) (local.get $rs)) (i32.const 5)))
        (local.set $r (i16x8.shr_u
          (i16x8.add
            (i16x8.add
              (i16x8.q15mulr_sat_s (local.get $bs)
                (v128.const i16x8 14392 14392 14392 14392 14392 14392 14392 14392))
              (i16x8.q15mulr_sat_s (local.get $gs)
                (v128.const i16x8 -11094 -11094 -11094 -11094 -11094 -11094 -11094 -11094)))
            (i16x8.add
              (i16x8.q15mulr_sat_s (local.get $rs)
                (v128.const i16x8 -3298 -3298 -3298 -3298 -3298 -3298 -3298 -3298))
              (local.get $middle)))
          (i32.const 7)))
        (v128.store32_lane 0
          (i32.add (local.get $u) (i32.shr_u (local.get $x) (i32.const 1)))
          (i8x16.narrow_i16x8_u (local.get $r) (local.get $r)))
        (local.set $r (i16x8.shr_u
          (i16x8.add
            (i16x8.add
              (i16x8.q15mulr_sat_s (local.get $bs)
                (v128.const i16x8 -1319 -1319 -1319 -1319 -1319 -1319 -1319 -1319))
              (i16x8.q15mulr_sat_s (local.get $gs)
                (v128.const i16x8 -13073 -13073 -13073 -13073 -13073 -13073 -13073 -13073)))
            (i16x8.add
              (i16x8.q15mulr_sat_s (local.get $rs)
                (v128.const i16x8 14392 14392 14392 14392 14392 14392 14392 14392))
              (local.get $middle)))
          (i32.const 7)))
        (v128.store32_lane 0
          (i32.add (local.get $v) (i32.shr_u (local.get $x) (i32.const 1)))
          (i8x16.narrow_i16x8_u (local.get $r) (local.get $r)))
        ;; The last block of a row may lie over the one before.
        (if (i32.lt_u (local.get $x) (local.get $last))
          (then
            (local.set $x (i32.add (local.get $x) (i32.const 8)))
            (if (i32.gt_u (local.get $x) (local.get $last))
              (then (local.set $x (local.get $last))))
            (br $columns))))
      (local.set $row (i32.add (local.get $row) (i32.const 2)))
      (local.set $from (i32.add (local.get $from) (i32.shl (local.get $width) (i32.const 3))))
      (local.set $y (i32.add (local.get $y) (i32.shl (local.get $width) (i32.const 1))))
      (local.set $u (i32.add (local.get $u) (local.get $half)))
      (local.set $v (i32.add (local.get $v) (local.get $half)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $height))))))
