// Two functions with their own extents; the extents of one are static.
func.func @twice(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["batch"]})
    -> (tensor<?xf32> {tenon.name = "y"}) {
  %0 = tenon.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @curve(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["length"]},
                 %to: tensor<?xf32> {tenon.name = "to", tenon.dims = ["length"]})
    -> (tensor<?xf32> {tenon.name = "z"}) {
  %0 = tenon.tanh %x : (tensor<?xf32>) -> tensor<?xf32> loc("bend")
  %1 = tenon.add %0, %to : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
