// RUN: tenon-opt %s --pass-pipeline='builtin.module(func.func(tenon-stream-outputs))' | FileCheck %s
// As a flag the pass is --tenon-stream-outputs, nested in func.func.

tenon.weight @large : tensor<4096x4096xf32> from #tenon.source<"model.onnx", 0, 67108864>
tenon.weight @small : tensor<4095x4096xf32> from #tenon.source<"model.onnx", 0, 67092480>

// Only the caller reads the joined keys, and the weights of a run would evict
// them from every cache.
// CHECK-LABEL: func.func @for_the_caller(
// CHECK: tenon.fusion{{ +}}attention {{.*}} attributes {streamed} {
// CHECK: tenon.fusion{{ +}}contraction
// CHECK-NOT: streamed
func.func @for_the_caller(%q: tensor<8x1x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>, %x: tensor<1x4096xf32>)
    -> (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>) {
  %0 = tensor.empty() : tensor<8x1x4xf32>
  %1 = tensor.empty() : tensor<8x3x4xf32>
  %3:2 = tenon.fusion attention ins(%q, %a, %b, %v : tensor<8x1x4xf32>, tensor<8x2x4xf32>, tensor<8x1x4xf32>, tensor<8x3x4xf32>)
      outs(%0, %1 : tensor<8x1x4xf32>, tensor<8x3x4xf32>) {
  ^bb0(%c: tensor<8x1x4xf32>, %d: tensor<8x2x4xf32>, %e: tensor<8x1x4xf32>, %f: tensor<8x3x4xf32>):
    %5 = tenon.concatenate %d, %e dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
    %6 = tenon.attention %c, %5, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
    tenon.yield %6, %5 : tensor<8x1x4xf32>, tensor<8x3x4xf32>
  } -> tensor<8x1x4xf32>, tensor<8x3x4xf32>
  %w = tenon.get_weight @large : tensor<4096x4096xf32>
  %2 = tensor.empty() : tensor<1x4096xf32>
  %4 = tenon.fusion contraction ins(%x, %w : tensor<1x4096xf32>, tensor<4096x4096xf32>) outs(%2 : tensor<1x4096xf32>) {
  ^bb0(%c: tensor<1x4096xf32>, %d: tensor<4096x4096xf32>):
    %5 = tenon.dot_general %c, %d batch [] x [] contract [1] x [0] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    tenon.yield %5 : tensor<1x4096xf32>
  } -> tensor<1x4096xf32>
  return %3#0, %3#1, %4 : tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>
}

// CHECK-LABEL: func.func @small_weights(
// CHECK-NOT: streamed
// CHECK: return
func.func @small_weights(%q: tensor<8x1x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>, %x: tensor<1x4095xf32>)
    -> (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>) {
  %0 = tensor.empty() : tensor<8x1x4xf32>
  %1 = tensor.empty() : tensor<8x3x4xf32>
  %3:2 = tenon.fusion attention ins(%q, %a, %b, %v : tensor<8x1x4xf32>, tensor<8x2x4xf32>, tensor<8x1x4xf32>, tensor<8x3x4xf32>)
      outs(%0, %1 : tensor<8x1x4xf32>, tensor<8x3x4xf32>) {
  ^bb0(%c: tensor<8x1x4xf32>, %d: tensor<8x2x4xf32>, %e: tensor<8x1x4xf32>, %f: tensor<8x3x4xf32>):
    %5 = tenon.concatenate %d, %e dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
    %6 = tenon.attention %c, %5, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
    tenon.yield %6, %5 : tensor<8x1x4xf32>, tensor<8x3x4xf32>
  } -> tensor<8x1x4xf32>, tensor<8x3x4xf32>
  %w = tenon.get_weight @small : tensor<4095x4096xf32>
  %2 = tensor.empty() : tensor<1x4096xf32>
  %4 = tenon.fusion contraction ins(%x, %w : tensor<1x4095xf32>, tensor<4095x4096xf32>) outs(%2 : tensor<1x4096xf32>) {
  ^bb0(%c: tensor<1x4095xf32>, %d: tensor<4095x4096xf32>):
    %5 = tenon.dot_general %c, %d batch [] x [] contract [1] x [0] : (tensor<1x4095xf32>, tensor<4095x4096xf32>) -> tensor<1x4096xf32>
    tenon.yield %5 : tensor<1x4096xf32>
  } -> tensor<1x4096xf32>
  return %3#0, %3#1, %4 : tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>
}

// The run reads the keys again.
// CHECK-LABEL: func.func @read_again(
// CHECK-NOT: streamed
// CHECK: return
func.func @read_again(%q: tensor<8x1x4xf32>, %a: tensor<8x2x4xf32>, %b: tensor<8x1x4xf32>, %v: tensor<8x3x4xf32>, %x: tensor<1x4096xf32>)
    -> (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>) {
  %0 = tensor.empty() : tensor<8x1x4xf32>
  %1 = tensor.empty() : tensor<8x3x4xf32>
  %3:2 = tenon.fusion attention ins(%q, %a, %b, %v : tensor<8x1x4xf32>, tensor<8x2x4xf32>, tensor<8x1x4xf32>, tensor<8x3x4xf32>)
      outs(%0, %1 : tensor<8x1x4xf32>, tensor<8x3x4xf32>) {
  ^bb0(%c: tensor<8x1x4xf32>, %d: tensor<8x2x4xf32>, %e: tensor<8x1x4xf32>, %f: tensor<8x3x4xf32>):
    %5 = tenon.concatenate %d, %e dim 1 : (tensor<8x2x4xf32>, tensor<8x1x4xf32>) -> tensor<8x3x4xf32>
    %6 = tenon.attention %c, %5, %f order [0, 1, 2] x [0, 1, 2] x [0, 1, 2] to [0, 1, 2] scale 1.0
       : (tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x1x4xf32>
    tenon.yield %6, %5 : tensor<8x1x4xf32>, tensor<8x3x4xf32>
  } -> tensor<8x1x4xf32>, tensor<8x3x4xf32>
  %w = tenon.get_weight @large : tensor<4096x4096xf32>
  %2 = tensor.empty() : tensor<1x4096xf32>
  %4 = tenon.fusion contraction ins(%x, %w : tensor<1x4096xf32>, tensor<4096x4096xf32>) outs(%2 : tensor<1x4096xf32>) {
  ^bb0(%c: tensor<1x4096xf32>, %d: tensor<4096x4096xf32>):
    %5 = tenon.dot_general %c, %d batch [] x [] contract [1] x [0] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    tenon.yield %5 : tensor<1x4096xf32>
  } -> tensor<1x4096xf32>
  %7 = tenon.negate %3#1 : (tensor<8x3x4xf32>) -> tensor<8x3x4xf32>
  return %3#0, %7, %4 : tensor<8x1x4xf32>, tensor<8x3x4xf32>, tensor<1x4096xf32>
}
