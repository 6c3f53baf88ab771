// A cache of two layers whose rows and positions the context chooses. Each run appends tokens and sums what the cache holds.
tenon.context_extent @rows 1 to 8 default 2
tenon.context_extent @positions 1 to 65536 default 8
tenon.state @keys : tensor<2x?x?x4xf32> extents [@rows, @positions]
tenon.state @length : tensor<i64>
tenon.state @scale : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>

func.func @append(%x: tensor<?x?x4xf32> {tenon.name = "x", tenon.dims = ["batch", "tokens", 4]})
    -> (tensor<?x4xf32> {tenon.name = "sum"}, tensor<i64> {tenon.name = "length"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %tokens = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %positions = tenon.get_extent @positions
  %l0 = tenon.state_read @length : tensor<i64>
  %l1 = tensor.extract %l0[] : tensor<i64>
  %length = arith.index_cast %l1 : i64 to index
  %e = arith.addi %length, %tokens : index
  tenon.check_size %e in [%c0, %positions] "append: the tokens in the cache"
  %end = tenon.bound %e at_most %positions
  %zero = tenon.constant dense<0.0> : tensor<f32>
  %start = tenon.broadcast_in_dim %zero dims [] sizes [%batch, 4] : (tensor<f32>, index) -> tensor<?x4xf32>
  %sum = scf.for %layer = %c0 to %c2 step %c1 iter_args(%s = %start) -> (tensor<?x4xf32>) {
    %u = tenon.reshape %x sizes [1, %batch, %tokens, 4] : (tensor<?x?x4xf32>, index, index) -> tensor<1x?x?x4xf32>
    %old = tenon.state_read @keys : tensor<2x?x?x4xf32>
    %new = tenon.dynamic_update_slice %old, %u at [%layer, 0, %length, 0] : (tensor<2x?x?x4xf32>, tensor<1x?x?x4xf32>, index, index) -> tensor<2x?x?x4xf32>
    tenon.state_write @keys, %new : tensor<2x?x?x4xf32>
    %now = tenon.state_read @keys : tensor<2x?x?x4xf32>
    %part = tenon.slice %now offsets [%layer, 0, 0, 0] sizes [1, %batch, %end, 4] strides [1, 1, 1, 1] : (tensor<2x?x?x4xf32>, index, index, index) -> tensor<1x?x?x4xf32>
    %r = tenon.reduce add %part over [0, 2] : (tensor<1x?x?x4xf32>) -> tensor<?x4xf32>
    %n = tenon.add %s, %r : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %n : tensor<?x4xf32>
  }
  %scale = tenon.state_read @scale : tensor<4xf32>
  %wide = tenon.broadcast_in_dim %scale dims [1] sizes [%batch, 4] : (tensor<4xf32>, index) -> tensor<?x4xf32>
  %scaled = tenon.multiply %sum, %wide : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e1 = arith.index_cast %e : index to i64
  %e2 = tensor.from_elements %e1 : tensor<i64>
  tenon.state_write @length, %e2 : tensor<i64>
  return %scaled, %e2 : tensor<?x4xf32>, tensor<i64>
}

// The sizes of a result come from the context alone.
func.func @all() -> (tensor<?x?xf32> {tenon.name = "first"}) {
  %rows = tenon.get_extent @rows
  %positions = tenon.get_extent @positions
  %keys = tenon.state_read @keys : tensor<2x?x?x4xf32>
  %part = tenon.slice %keys offsets [0, 0, 0, 0] sizes [1, %rows, %positions, 1] strides [1, 1, 1, 1] : (tensor<2x?x?x4xf32>, index, index) -> tensor<1x?x?x1xf32>
  %first = tenon.reshape %part sizes [%rows, %positions] : (tensor<1x?x?x1xf32>, index, index) -> tensor<?x?xf32>
  return %first : tensor<?x?xf32>
}
