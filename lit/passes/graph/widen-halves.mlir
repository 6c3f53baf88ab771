// f16 values are computed in f32 and stay so between ops.
// RUN: tenon-opt %s --tenon-widen-halves --canonicalize --cse --split-input-file | FileCheck %s

// A result is rounded once, where it leaves the graph. Moved values stay wide.
// CHECK-LABEL: @chain
// CHECK-DAG: %[[X:.*]] = tenon.convert %{{.*}} to f32
// CHECK-DAG: %[[W:.*]] = tenon.convert %{{.*}} to f32
// CHECK-DAG: %[[C:.*]] = tenon.constant dense<1.500000e+00> : tensor<4x2xf32>
// CHECK: %[[P:.*]] = tenon.dot_general %[[X]], %[[W]] {{.*}} -> tensor<2x4xf32>
// CHECK: %[[S:.*]] = tenon.softmax %[[P]] {{.*}} tensor<2x4xf32>
// CHECK: %[[T:.*]] = tenon.transpose %[[S]] {{.*}} -> tensor<4x2xf32>
// CHECK: %[[A:.*]] = tenon.add %[[T]], %[[C]]
// CHECK: %[[R:.*]] = tenon.convert %[[A]] to f16
// CHECK-NOT: tenon.convert
// CHECK: return %[[R]]
func.func @chain(%x: tensor<2x3xf16>, %w: tensor<3x4xf16>) -> tensor<4x2xf16> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  %1 = tenon.softmax %0 over 1 : tensor<2x4xf16>
  %2 = tenon.transpose %1 [1, 0] : (tensor<2x4xf16>) -> tensor<4x2xf16>
  %c = tenon.constant dense<1.5> : tensor<4x2xf16>
  %3 = tenon.add %2, %c : (tensor<4x2xf16>, tensor<4x2xf16>) -> tensor<4x2xf16>
  return %3 : tensor<4x2xf16>
}

// -----

// A comparison and an integer are made of the rounded value, a float of the
// wide one.
// CHECK-LABEL: @decisions
// CHECK: %[[E:.*]] = tenon.exponential %{{.*}} : (tensor<4xf32>)
// CHECK: %[[R:.*]] = tenon.convert %[[E]] to f16
// CHECK: tenon.compare lt %[[R]], %{{.*}} : (tensor<4xf16>, tensor<4xf16>)
// CHECK: tenon.convert %[[R]] to i32
// CHECK: tenon.floor %[[R]] : (tensor<4xf16>)
// CHECK: tenon.is_nan %[[R]] : (tensor<4xf16>)
// CHECK: return %{{.*}}, %{{.*}}, %[[E]], %{{.*}}, %{{.*}} :
func.func @decisions(%x: tensor<4xf16>) -> (tensor<4xi1>, tensor<4xi32>, tensor<4xf32>, tensor<4xf16>, tensor<4xi1>) {
  %0 = tenon.exponential %x : (tensor<4xf16>) -> tensor<4xf16>
  %1 = tenon.compare lt %0, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
  %2 = tenon.convert %0 to i32 : (tensor<4xf16>) -> tensor<4xi32>
  %3 = tenon.convert %0 to f32 : (tensor<4xf16>) -> tensor<4xf32>
  %4 = tenon.floor %0 : (tensor<4xf16>) -> tensor<4xf16>
  %5 = tenon.is_nan %0 : (tensor<4xf16>) -> tensor<4xi1>
  return %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi32>, tensor<4xf32>, tensor<4xf16>, tensor<4xi1>
}

// -----

// What is in memory as f16 is not copied as f32: the new part of a cache is
// rounded, and attention reads narrow keys.
// CHECK-LABEL: @cache
// CHECK: %[[Q:.*]] = tenon.convert %{{.*}} to f32 : (tensor<1x2x1x8xf16>)
// CHECK: %[[W:.*]] = tenon.tanh %[[Q]] : (tensor<1x2x1x8xf32>)
// CHECK: %[[K:.*]] = tenon.convert %[[W]] to f16
// CHECK: %[[ALL:.*]] = tenon.concatenate %{{.*}}, %[[K]] dim 2
// CHECK: tenon.attention %[[Q]], %[[ALL]], %[[ALL]] {{.*}} : (tensor<1x2x1x8xf32>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>) -> tensor<1x2x1x8xf32>
func.func @cache(%past: tensor<1x2x4x8xf16>, %q: tensor<1x2x1x8xf16>) -> (tensor<1x2x5x8xf16>, tensor<1x2x1x8xf16>) {
  %0 = tenon.tanh %q : (tensor<1x2x1x8xf16>) -> tensor<1x2x1x8xf16>
  %1 = tenon.concatenate %past, %0 dim 2 : (tensor<1x2x4x8xf16>, tensor<1x2x1x8xf16>) -> tensor<1x2x5x8xf16>
  %2 = tenon.attention %q, %1, %1 order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 1.0
     : (tensor<1x2x1x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>) -> tensor<1x2x1x8xf16>
  return %1, %2 : tensor<1x2x5x8xf16>, tensor<1x2x1x8xf16>
}

// -----

// bf16 and a value that a loop carries keep their type.
// CHECK-LABEL: @kept
// CHECK: tenon.negate %{{.*}} : (tensor<4xbf16>)
// CHECK: scf.for {{.*}} -> (tensor<4xf16>)
// CHECK: %[[W:.*]] = tenon.sqrt %{{.*}} : (tensor<4xf32>)
// CHECK: %[[R:.*]] = tenon.convert %[[W]] to f16
// CHECK: scf.yield %[[R]]
func.func @kept(%x: tensor<4xbf16>, %y: tensor<4xf16>, %n: index) -> (tensor<4xbf16>, tensor<4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tenon.negate %x : (tensor<4xbf16>) -> tensor<4xbf16>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<4xf16>) {
    %2 = tenon.sqrt %a : (tensor<4xf16>) -> tensor<4xf16>
    scf.yield %2 : tensor<4xf16>
  }
  return %0, %1 : tensor<4xbf16>, tensor<4xf16>
}
