// Remarks give the plan of each kernel that may have tiles, and name shared kernels.
// RUN: tenon-opt %s --tenon-plan-kernels --tenon-lower-fusions --remarks-filter=kernels 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {
// CHECK: remark: loc("first"): [Passed] tiled | Category:kernels | Function=products | Remark="contraction kernel has the plan #tenon.tile<rows = 8, {{.*}}>"
// CHECK: remark: loc("second"): [Passed] tiled |
// CHECK: remark: loc("scalar"): [Missed] general | {{.*}}Reason="the result has no columns", Remark="contraction kernel computes element by element"
// Kernels are emitted after all plans are made. A map has no choice of plans.
// CHECK: remark: loc("first"): [Passed] emitted | {{.*}}Remark="the fusion has kernel 'contraction.first.0'"
// CHECK: remark: loc("second"): [Passed] shared | {{.*}}Remark="the fusion shares kernel 'contraction.first.0'"
// CHECK: remark: loc("scalar"): [Passed] emitted |
// CHECK: remark: loc("neg"): [Passed] emitted |
func.func @products(%x: memref<64x192xf32>, %w: memref<192x96xf32>, %y: memref<64x96xf32>, %z: memref<64x96xf32>, %v: memref<192xf32>, %d: memref<f32>) {
  tenon.fusion contraction ins(%x, %w : memref<64x192xf32>, memref<192x96xf32>) outs(%y : memref<64x96xf32>) {
  ^bb0(%a: tensor<64x192xf32>, %b: tensor<192x96xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<64x192xf32>, tensor<192x96xf32>) -> tensor<64x96xf32> loc("first")
    tenon.yield %0 : tensor<64x96xf32>
  }
  tenon.fusion contraction ins(%x, %w : memref<64x192xf32>, memref<192x96xf32>) outs(%z : memref<64x96xf32>) {
  ^bb0(%a: tensor<64x192xf32>, %b: tensor<192x96xf32>):
    %0 = tenon.dot_general %a, %b batch [] x [] contract [1] x [0] : (tensor<64x192xf32>, tensor<192x96xf32>) -> tensor<64x96xf32> loc("second")
    tenon.yield %0 : tensor<64x96xf32>
  }
  tenon.fusion contraction ins(%v : memref<192xf32>) outs(%d : memref<f32>) {
  ^bb0(%a: tensor<192xf32>):
    %0 = tenon.dot_general %a, %a batch [] x [] contract [0] x [0] : (tensor<192xf32>, tensor<192xf32>) -> tensor<f32> loc("scalar")
    tenon.yield %0 : tensor<f32>
  }
  tenon.fusion map ins(%y : memref<64x96xf32>) outs(%z : memref<64x96xf32>) {
  ^bb0(%a: tensor<64x96xf32>):
    %0 = tenon.negate %a : (tensor<64x96xf32>) -> tensor<64x96xf32> loc("neg")
    tenon.yield %0 : tensor<64x96xf32>
  }
  return
}
}
