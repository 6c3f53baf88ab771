// RUN: tenon-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @abs(
// CHECK: tenon.abs %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @abs(%x: tensor<4x?xf32>) {
      %0 = tenon.abs %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @negate(
// CHECK: tenon.negate %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @negate(%x: tensor<4x?xf32>) {
      %0 = tenon.negate %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sign(
// CHECK: tenon.sign %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @sign(%x: tensor<4x?xf32>) {
      %0 = tenon.sign %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @ceil(
// CHECK: tenon.ceil %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @ceil(%x: tensor<4x?xf32>) {
      %0 = tenon.ceil %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @floor(
// CHECK: tenon.floor %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @floor(%x: tensor<4x?xf32>) {
      %0 = tenon.floor %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @round_nearest_even(
// CHECK: tenon.round_nearest_even %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @round_nearest_even(%x: tensor<4x?xf32>) {
      %0 = tenon.round_nearest_even %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @round_nearest_afz(
// CHECK: tenon.round_nearest_afz %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @round_nearest_afz(%x: tensor<4x?xf32>) {
      %0 = tenon.round_nearest_afz %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sqrt(
// CHECK: tenon.sqrt %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @sqrt(%x: tensor<4x?xf32>) {
      %0 = tenon.sqrt %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @rsqrt(
// CHECK: tenon.rsqrt %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @rsqrt(%x: tensor<4x?xf32>) {
      %0 = tenon.rsqrt %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @cbrt(
// CHECK: tenon.cbrt %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @cbrt(%x: tensor<4x?xf32>) {
      %0 = tenon.cbrt %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @exponential(
// CHECK: tenon.exponential %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @exponential(%x: tensor<4x?xf32>) {
      %0 = tenon.exponential %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @exponential_flushed(
// CHECK: tenon.exponential_flushed %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @exponential_flushed(%x: tensor<4x?xf32>) {
      %0 = tenon.exponential_flushed %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @exponential_minus_one(
// CHECK: tenon.exponential_minus_one %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @exponential_minus_one(%x: tensor<4x?xf32>) {
      %0 = tenon.exponential_minus_one %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @log(
// CHECK: tenon.log %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @log(%x: tensor<4x?xf32>) {
      %0 = tenon.log %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @log_plus_one(
// CHECK: tenon.log_plus_one %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @log_plus_one(%x: tensor<4x?xf32>) {
      %0 = tenon.log_plus_one %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sine(
// CHECK: tenon.sine %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @sine(%x: tensor<4x?xf32>) {
      %0 = tenon.sine %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @cosine(
// CHECK: tenon.cosine %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @cosine(%x: tensor<4x?xf32>) {
      %0 = tenon.cosine %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @tan(
// CHECK: tenon.tan %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @tan(%x: tensor<4x?xf32>) {
      %0 = tenon.tan %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @asin(
// CHECK: tenon.asin %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @asin(%x: tensor<4x?xf32>) {
      %0 = tenon.asin %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @acos(
// CHECK: tenon.acos %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @acos(%x: tensor<4x?xf32>) {
      %0 = tenon.acos %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @atan(
// CHECK: tenon.atan %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @atan(%x: tensor<4x?xf32>) {
      %0 = tenon.atan %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @sinh(
// CHECK: tenon.sinh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @sinh(%x: tensor<4x?xf32>) {
      %0 = tenon.sinh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @cosh(
// CHECK: tenon.cosh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @cosh(%x: tensor<4x?xf32>) {
      %0 = tenon.cosh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @tanh(
// CHECK: tenon.tanh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @tanh(%x: tensor<4x?xf32>) {
      %0 = tenon.tanh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @asinh(
// CHECK: tenon.asinh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @asinh(%x: tensor<4x?xf32>) {
      %0 = tenon.asinh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @acosh(
// CHECK: tenon.acosh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @acosh(%x: tensor<4x?xf32>) {
      %0 = tenon.acosh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @atanh(
// CHECK: tenon.atanh %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @atanh(%x: tensor<4x?xf32>) {
      %0 = tenon.atanh %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @logistic(
// CHECK: tenon.logistic %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @logistic(%x: tensor<4x?xf32>) {
      %0 = tenon.logistic %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @erf(
// CHECK: tenon.erf %{{.*}} : (tensor<4x?xf32>) -> tensor<4x?xf32>
func.func @erf(%x: tensor<4x?xf32>) {
      %0 = tenon.erf %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func.func @not(
// CHECK: tenon.not %{{.*}} : (tensor<4x?xi32>) -> tensor<4x?xi32>
func.func @not(%x: tensor<4x?xi32>) {
      %0 = tenon.not %x : (tensor<4x?xi32>) -> tensor<4x?xi32>
  return
}

// CHECK-LABEL: func.func @add(
// CHECK: tenon.add %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.add %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @add_more(
// CHECK: tenon.add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @add_more(%a: tensor<f32>, %b: tensor<f32>) {
  %0 = tenon.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @add_further(
// CHECK: tenon.add %{{.*}}, %{{.*}} : (tensor<0x?xbf16>, tensor<0x?xbf16>) -> tensor<0x?xbf16>
func.func @add_further(%a: tensor<0x?xbf16>, %b: tensor<0x?xbf16>) {
  %0 = tenon.add %a, %b : (tensor<0x?xbf16>, tensor<0x?xbf16>) -> tensor<0x?xbf16>
  return
}

// CHECK-LABEL: func.func @add_still(
// CHECK: tenon.add %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
func.func @add_still(%a: tensor<4xi1>, %b: tensor<4xi1>) {
  %0 = tenon.add %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @subtract(
// CHECK: tenon.subtract %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @subtract(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.subtract %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @multiply(
// CHECK: tenon.multiply %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @multiply(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.multiply %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @divide(
// CHECK: tenon.divide %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @divide(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.divide %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @remainder(
// CHECK: tenon.remainder %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @remainder(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.remainder %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @power(
// CHECK: tenon.power %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @power(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.power %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @maximum(
// CHECK: tenon.maximum %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @maximum(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.maximum %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @minimum(
// CHECK: tenon.minimum %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @minimum(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.minimum %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @and(
// CHECK: tenon.and %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @and(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.and %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @or(
// CHECK: tenon.or %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @or(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.or %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @xor(
// CHECK: tenon.xor %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @xor(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.xor %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @shift_left(
// CHECK: tenon.shift_left %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @shift_left(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.shift_left %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @shift_right_logical(
// CHECK: tenon.shift_right_logical %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @shift_right_logical(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.shift_right_logical %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @shift_right_arithmetic(
// CHECK: tenon.shift_right_arithmetic %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
func.func @shift_right_arithmetic(%a: tensor<4xi32>, %b: tensor<4xi32>) {
      %0 = tenon.shift_right_arithmetic %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @atan2(
// CHECK: tenon.atan2 %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @atan2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = tenon.atan2 %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @compare(
// CHECK: tenon.compare  lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = tenon.compare lt %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_more(
// CHECK: tenon.compare  ge %{{.*}}, %{{.*}} : (tensor<?xui8>, tensor<?xui8>) -> tensor<?xi1>
func.func @compare_more(%a: tensor<?xui8>, %b: tensor<?xui8>) {
  %0 = tenon.compare ge %a, %b : (tensor<?xui8>, tensor<?xui8>) -> tensor<?xi1>
  return
}

// CHECK-LABEL: func.func @select(
// CHECK: tenon.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @select(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = tenon.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @clamp(
// CHECK: tenon.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @clamp(%low: tensor<4xf32>, %x: tensor<4xf32>, %high: tensor<4xf32>) {
  %0 = tenon.clamp %low, %x, %high : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @is_nan(
// CHECK: tenon.is_nan %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
func.func @is_nan(%x: tensor<4xf32>) {
  %0 = tenon.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @convert(
// CHECK: tenon.convert %{{.*}} to f32 : (tensor<4xi8>) -> tensor<4xf32>
func.func @convert(%x: tensor<4xi8>) {
  %0 = tenon.convert %x to f32 : (tensor<4xi8>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @convert_more(
// CHECK: tenon.convert %{{.*}} to i1 : (tensor<?xf64>) -> tensor<?xi1>
func.func @convert_more(%x: tensor<?xf64>) {
  %0 = tenon.convert %x to i1 : (tensor<?xf64>) -> tensor<?xi1>
  return
}

// CHECK-LABEL: func.func @bitcast_convert(
// CHECK: tenon.bitcast_convert %{{.*}} to i32 : (tensor<4xf32>) -> tensor<4xi32>
func.func @bitcast_convert(%x: tensor<4xf32>) {
  %0 = tenon.bitcast_convert %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @check_range(
// CHECK: tenon.check_range %{{.*}} in[%{{.*}}, %{{.*}}) "node \22g\22 (Gather)" : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
func.func @check_range(%i: tensor<4xi64>, %low: tensor<4xi64>, %high: tensor<4xi64>) {
  %0 = tenon.check_range %i in [%low, %high) "node \22g\22 (Gather)" : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return
}
