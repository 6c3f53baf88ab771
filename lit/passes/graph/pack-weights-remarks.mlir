// Remarks name the form of each weight that a contraction reads, or the reason why it has none.
// RUN: tenon-opt %s --tenon-pack-weights --remarks-filter=packing --split-input-file 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("fc"): [Passed] packed | Category:packing | Function=panels | Remark="weight 'w' is stored in panels of 48 columns"
tenon.weight @w : tensor<8x96xf32> from #tenon.source<"m.bin", 0, 3072>
func.func @panels(%x: tensor<2x8xf32>) -> tensor<2x96xf32> {
  %w = tenon.get_weight @w : tensor<8x96xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<2x8xf32>, tensor<8x96xf32>) -> tensor<2x96xf32> loc("fc")
  return %0 : tensor<2x96xf32>
}

// -----
// CHECK: remark: loc("narrow"): [Missed] unpacked | {{.*}}Reason="most of a panel would be padding", Remark="weight 'w' is not stored in panels"
tenon.weight @w : tensor<8x3xf32> from #tenon.source<"m.bin", 0, 96>
func.func @padding(%x: tensor<20x8xf32>) -> tensor<20x3xf32> {
  %w = tenon.get_weight @w : tensor<8x3xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<20x8xf32>, tensor<8x3xf32>) -> tensor<20x3xf32> loc("narrow")
  return %0 : tensor<20x3xf32>
}

// -----
// CHECK: remark: loc("left"): [Missed] unpacked | {{.*}}Reason="it is the left operand, which gives rows"
tenon.weight @w : tensor<8x32xf32> from #tenon.source<"m.bin", 0, 1024>
func.func @left(%x: tensor<32x20xf32>) -> tensor<8x20xf32> {
  %w = tenon.get_weight @w : tensor<8x32xf32>
  %0 = tenon.dot_general %w, %x batch [] x [] contract [1] x [0] : (tensor<8x32xf32>, tensor<32x20xf32>) -> tensor<8x20xf32> loc("left")
  return %0 : tensor<8x20xf32>
}

// -----
// CHECK: remark: loc("integers"): [Missed] unpacked | {{.*}}Reason="its elements are integers"
tenon.weight @w : tensor<8x32xi32> from #tenon.source<"m.bin", 0, 1024>
func.func @integers(%x: tensor<20x8xi32>) -> tensor<20x32xi32> {
  %w = tenon.get_weight @w : tensor<8x32xi32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<20x8xi32>, tensor<8x32xi32>) -> tensor<20x32xi32> loc("integers")
  return %0 : tensor<20x32xi32>
}

// -----
// CHECK: remark: loc("rows"): [Missed] unpacked | {{.*}}Reason="other ops read it in another form, and it is too large to be stored twice"
tenon.weight @w : tensor<600x600xf32> from #tenon.source<"m.bin", 0, 1440000>
func.func @two_forms(%x: tensor<20x600xf32>) -> (tensor<20x600xf32>, tensor<20x600xf32>) {
  %w = tenon.get_weight @w : tensor<600x600xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<20x600xf32>, tensor<600x600xf32>) -> tensor<20x600xf32> loc("columns")
  %1 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : (tensor<20x600xf32>, tensor<600x600xf32>) -> tensor<20x600xf32> loc("rows")
  return %0, %1 : tensor<20x600xf32>, tensor<20x600xf32>
}

// -----
// A weight that no contraction reads is not reported.
tenon.weight @w : tensor<8xf32> from #tenon.source<"m.bin", 0, 32>
func.func @vector(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = tenon.get_weight @w : tensor<8xf32>
  %0 = tenon.add %x, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("add")
  return %0 : tensor<8xf32>
}
