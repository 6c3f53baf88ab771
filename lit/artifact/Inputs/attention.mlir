// Attention over caches whose rows and positions the context chooses. Each run writes a key and a value for each row and attends to all so far.
// Key and value of position p are those of the inputs times p / 64 and plus p.
tenon.context_extent @rows 1 to 8 default 2
tenon.context_extent @positions 1 to 4096 default 8
tenon.state @keys : tensor<?x2x?x16xbf16> extents [@rows, @positions]
tenon.state @values : tensor<?x2x?x16xbf16> extents [@rows, @positions]
tenon.state @length : tensor<i64>

func.func @step(%q: tensor<?x4x1x16xf32> {tenon.name = "q", tenon.dims = ["batch", 4, 1, 16]},
                %k: tensor<?x2x1x16xf32> {tenon.name = "k", tenon.dims = ["batch", 2, 1, 16]},
                %v: tensor<?x2x1x16xf32> {tenon.name = "v", tenon.dims = ["batch", 2, 1, 16]})
    -> (tensor<?x4x1x16xf32> {tenon.name = "own"}, tensor<?x4x1x16xf32> {tenon.name = "found"}) {
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %q, %c0 : tensor<?x4x1x16xf32>
  %positions = tenon.get_extent @positions
  %one = tenon.constant dense<1> : tensor<i64>
  %l = tenon.state_read @length : tensor<i64>
  %l1 = tensor.extract %l[] : tensor<i64>
  %p = arith.index_cast %l1 : i64 to index
  %number = tenon.convert %l to f32 : (tensor<i64>) -> tensor<f32>
  %p4 = tenon.broadcast_in_dim %number dims [] sizes [%batch, 2, 1, 16] : (tensor<f32>, index) -> tensor<?x2x1x16xf32>
  %scale = tenon.constant dense<1.5625e-2> : tensor<f32>
  %s4 = tenon.broadcast_in_dim %scale dims [] sizes [%batch, 2, 1, 16] : (tensor<f32>, index) -> tensor<?x2x1x16xf32>
  %kp = tenon.multiply %k, %p4 : (tensor<?x2x1x16xf32>, tensor<?x2x1x16xf32>) -> tensor<?x2x1x16xf32>
  %ks = tenon.multiply %kp, %s4 : (tensor<?x2x1x16xf32>, tensor<?x2x1x16xf32>) -> tensor<?x2x1x16xf32>
  %kb = tenon.convert %ks to bf16 : (tensor<?x2x1x16xf32>) -> tensor<?x2x1x16xbf16>
  %vp = tenon.add %v, %p4 : (tensor<?x2x1x16xf32>, tensor<?x2x1x16xf32>) -> tensor<?x2x1x16xf32>
  %vb = tenon.convert %vp to bf16 : (tensor<?x2x1x16xf32>) -> tensor<?x2x1x16xbf16>
  %k0 = tenon.state_read @keys : tensor<?x2x?x16xbf16>
  %k1 = tenon.dynamic_update_slice %k0, %kb at [0, 0, %p, 0] : (tensor<?x2x?x16xbf16>, tensor<?x2x1x16xbf16>, index) -> tensor<?x2x?x16xbf16>
  tenon.state_write @keys, %k1 : tensor<?x2x?x16xbf16>
  %v0 = tenon.state_read @values : tensor<?x2x?x16xbf16>
  %v1 = tenon.dynamic_update_slice %v0, %vb at [0, 0, %p, 0] : (tensor<?x2x?x16xbf16>, tensor<?x2x1x16xbf16>, index) -> tensor<?x2x?x16xbf16>
  tenon.state_write @values, %v1 : tensor<?x2x?x16xbf16>
  %l2 = tenon.add %l, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  tenon.state_write @length, %l2 : tensor<i64>
  %n = tenon.broadcast_in_dim %l2 dims [] sizes [%batch] : (tensor<i64>, index) -> tensor<?xi64>

  // Each row attends to its own keys.
  %keys = tenon.state_read @keys : tensor<?x2x?x16xbf16>
  %values = tenon.state_read @values : tensor<?x2x?x16xbf16>
  %kr = tenon.slice %keys offsets [0, 0, 0, 0] sizes [%batch, 2, %positions, 16] strides [1, 1, 1, 1] : (tensor<?x2x?x16xbf16>, index, index) -> tensor<?x2x?x16xbf16>
  %vr = tenon.slice %values offsets [0, 0, 0, 0] sizes [%batch, 2, %positions, 16] strides [1, 1, 1, 1] : (tensor<?x2x?x16xbf16>, index, index) -> tensor<?x2x?x16xbf16>
  %own = tenon.attention %q, %kr, %vr lengths %n order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.25
     : (tensor<?x4x1x16xf32>, tensor<?x2x?x16xbf16>, tensor<?x2x?x16xbf16>, tensor<?xi64>) -> tensor<?x4x1x16xf32>

  // Odd positions are those of row 1.
  %ones = tenon.broadcast_in_dim %one dims [] sizes [%batch, %positions] : (tensor<i64>, index, index) -> tensor<?x?xi64>
  %at = tenon.iota dim 1 sizes [%batch, %positions] : (index, index) -> tensor<?x?xi64>
  %t = tenon.and %at, %ones : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  %found = tenon.attention %q, %keys, %values lengths %n table %t order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.25
     : (tensor<?x4x1x16xf32>, tensor<?x2x?x16xbf16>, tensor<?x2x?x16xbf16>, tensor<?xi64>, tensor<?x?xi64>) -> tensor<?x4x1x16xf32>
  return %own, %found : tensor<?x4x1x16xf32>, tensor<?x4x1x16xf32>
}
