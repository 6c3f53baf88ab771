// Weights in panels are stored with fewer bits.
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights=format=bf16 --tenon-fold-weights --split-input-file | FileCheck %s --check-prefix=BF16
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights=format=int8 --tenon-fold-weights --cse --split-input-file --remarks-filter=packing 2>%t | FileCheck %s --check-prefix=INT8
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights=format=int4 --tenon-fold-weights --cse --split-input-file 2>/dev/null | FileCheck %s --check-prefix=INT4
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights --split-input-file | FileCheck %s --check-prefix=AS-IS
// RUN: tenon-opt %s --tenon-fold-weights --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights --tenon-fold-weights --split-input-file | FileCheck %s --check-prefix=KEEP
// RUN: tenon-opt %s --tenon-pack-weights --tenon-fold-weights --tenon-quantize-weights=format=f16 --tenon-fold-weights --split-input-file --remarks-filter=packing 2>%t | FileCheck %s --check-prefix=F16
// RUN: FileCheck %s --check-prefix=HALF < %t
// RUN: not tenon-opt %s --tenon-quantize-weights=format=int5 --split-input-file 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: int5
// AS-IS-NOT: tenon.quantize

// A table that is also a matrix: both readers share one stored form and its
// scales.
// BF16: tenon.weight @w.folded{{.*}} : tensor<3x200x16xbf16> {
// BF16: tenon.pack
// BF16: tenon.quantize
// BF16-LABEL: @product
// BF16: %[[Q:.*]] = tenon.get_weight @w.folded{{.*}} : tensor<3x200x16xbf16>
// BF16: %[[D:.*]] = tenon.dequantize %[[Q]] : (tensor<3x200x16xbf16>) -> tensor<3x200x16xf32>
// BF16: tenon.unpack %[[D]] dim 0 extent 40
// F16: tenon.weight @w.folded{{.*}} : tensor<3x200x16xf16> {
// F16: tenon.quantize
// F16-LABEL: @product
// F16: tenon.dequantize %{{.*}} : (tensor<3x200x16xf16>) -> tensor<3x200x16xf32>
// HALF: the weight is stored as f16
// INT8-DAG: tenon.weight @{{.*}} : tensor<3x200x16xi8> {
// INT8-DAG: tenon.weight @{{.*}} : tensor<3x2x16xf32> {
// REMARK: [Passed] quantized | Category:packing | Function=product | Remark="the weight is stored as int8 with a scale for each 128 elements of a column"
// INT8-LABEL: @product
// INT8: tenon.dequantize %{{.*}} scales %{{.*}} group 128
// INT8: tenon.gather
// INT8: tenon.dot_general
// INT4-DAG: tenon.weight @{{.*}} : tensor<3x25x16xi32> {
// INT4-DAG: tenon.weight @{{.*}} : tensor<3x7x16xbf16> {
// INT4-LABEL: @product
// INT4: tenon.dequantize %{{.*}} scales %{{.*}} group 32
tenon.weight @w : tensor<40x200xf32> from #tenon.source<"m.bin", 0, 32000>
func.func @product(%x: tensor<2x200xf32>, %i: tensor<2x1xi64>) -> (tensor<2x200xf32>, tensor<2x40xf32>) {
  %w = tenon.get_weight @w : tensor<40x200xf32>
  %1 = tenon.gather %w, %i offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 200] : (tensor<40x200xf32>, tensor<2x1xi64>) -> tensor<2x200xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [1] : (tensor<2x200xf32>, tensor<40x200xf32>) -> tensor<2x40xf32>
  return %1, %0 : tensor<2x200xf32>, tensor<2x40xf32>
}

// -----
// Kernels of convolutions are stored as bf16 but not as integers, which a
// remark reports. f16 is unchanged.
// BF16-LABEL: @others
// BF16: tenon.dequantize
// BF16: tenon.convolution
// BF16-NOT: tenon.dequantize
// REMARK: [Missed] stays-f32 | Category:packing | Function=others | Reason="8-bit weights are for products that sum over one dimension", Remark="the weight stays f32"
// INT8-LABEL: @others
// INT8-NOT: tenon.dequantize
tenon.weight @k : tensor<3x3x4x16xf32> from #tenon.source<"m.bin", 0, 2304>
tenon.weight @h : tensor<8x64xf16> from #tenon.source<"m.bin", 0, 1024>
func.func @others(%x: tensor<1x5x5x4xf32>, %y: tensor<2x8xf16>) -> (tensor<1x3x3x16xf32>, tensor<2x64xf16>) {
  %k = tenon.get_weight @k : tensor<3x3x4x16xf32>
  %h = tenon.get_weight @h : tensor<8x64xf16>
  %0 = tenon.convolution %x, %k strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 : (tensor<1x5x5x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x3x3x16xf32>
  %1 = tenon.dot_general %y, %h batch [] x [] contract [1] x [0] : (tensor<2x8xf16>, tensor<8x64xf16>) -> tensor<2x64xf16>
  return %0, %1 : tensor<1x3x3x16xf32>, tensor<2x64xf16>
}

// -----
// Weights that the graph widens from bf16 stay bf16, also when they are joined,
// and those from f16 stay f16. A join of both is stored as f32.
// KEEP-DAG: tenon.weight @b.folded{{.*}} : tensor<1x200x64xbf16> {
// KEEP-DAG: tenon.weight @d.folded{{.*}} : tensor<1x200x64xf16> {
// KEEP-LABEL: @widened
// KEEP-DAG: tenon.dequantize %{{.*}} : (tensor<1x200x64xbf16>) -> tensor<1x200x64xf32>
// KEEP-DAG: tenon.dequantize %{{.*}} : (tensor<1x200x64xf16>) -> tensor<1x200x64xf32>
// KEEP-NOT: tenon.dequantize
// KEEP: return
tenon.weight @b : tensor<32x200xbf16> from #tenon.source<"m.bin", 0, 12800>
tenon.weight @c : tensor<32x200xbf16> from #tenon.source<"m.bin", 12800, 12800>
tenon.weight @d : tensor<64x200xf16> from #tenon.source<"m.bin", 25600, 25600>
func.func @widened(%x: tensor<8x200xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x96xf32>) {
  %b = tenon.get_weight @b : tensor<32x200xbf16>
  %c = tenon.get_weight @c : tensor<32x200xbf16>
  %d = tenon.get_weight @d : tensor<64x200xf16>
  %0 = tenon.convert %b to f32 : (tensor<32x200xbf16>) -> tensor<32x200xf32>
  %1 = tenon.convert %c to f32 : (tensor<32x200xbf16>) -> tensor<32x200xf32>
  %2 = tenon.convert %d to f32 : (tensor<64x200xf16>) -> tensor<64x200xf32>
  %3 = tenon.concatenate %0, %1 dim 0 : (tensor<32x200xf32>, tensor<32x200xf32>) -> tensor<64x200xf32>
  %4 = tenon.dot_general %x, %3 batch [] x [] contract [1] x [1] : (tensor<8x200xf32>, tensor<64x200xf32>) -> tensor<8x64xf32>
  %5 = tenon.dot_general %x, %2 batch [] x [] contract [1] x [1] : (tensor<8x200xf32>, tensor<64x200xf32>) -> tensor<8x64xf32>
  %6 = tenon.concatenate %0, %2 dim 0 : (tensor<32x200xf32>, tensor<64x200xf32>) -> tensor<96x200xf32>
  %7 = tenon.dot_general %x, %6 batch [] x [] contract [1] x [1] : (tensor<8x200xf32>, tensor<96x200xf32>) -> tensor<8x96xf32>
  return %4, %5, %7 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x96xf32>
}
