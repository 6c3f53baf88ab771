// Operations and bytes as the benchmarks count them: 2 * 2 * 4 * 3
// for the product and 2 * 96 * 8 for the convolution with two groups.
// Two rows of the table are read, 24 bytes. The other weights have 48
// and 192 bytes, the inputs 16 and 400, the outputs 32 and 384.
// RUN: %python %source/benchmarks/work.py tenon %s | FileCheck %s
// CHECK: {{^}}1584 operations, 1096 bytes

tenon.weight @table : tensor<100x3xf32> from #tenon.source<"none", 0, 1200>
tenon.weight @matrix : tensor<3x4xf32> from #tenon.source<"none", 1200, 48>
tenon.weight @kernel : tensor<2x2x2x6xf32> from #tenon.source<"none", 1248, 192>
func.func @main(%ids: tensor<2x1xi64> {tenon.name = "ids", tenon.dims = [2, 1]},
                %x: tensor<1x5x5x4xf32> {tenon.name = "x", tenon.dims = [1, 5, 5, 4]})
    -> (tensor<2x4xf32> {tenon.name = "y"}, tensor<1x4x4x6xf32> {tenon.name = "z"}) {
  %t = tenon.get_weight @table : tensor<100x3xf32>
  %rows = tenon.gather %t, %ids offset_dims [1] collapsed [0] batching [] x [] map [0] vector_dim 1 slice_sizes [1, 3] : (tensor<100x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  %m = tenon.get_weight @matrix : tensor<3x4xf32>
  %y = tenon.dot_general %rows, %m batch [] x [] contract [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %k = tenon.get_weight @kernel : tensor<2x2x2x6xf32>
  %z = tenon.convolution %x, %k strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 2 : (tensor<1x5x5x4xf32>, tensor<2x2x2x6xf32>) -> tensor<1x4x4x6xf32>
  return %y, %z : tensor<2x4xf32>, tensor<1x4x4x6xf32>
}
