// Maps by quads: by the numbers of elements, the last of which fill no quad, and
// by rows of whole quads.
func.func @main(%x: tensor<35x37xf32> {tenon.name = "x"}, %z: tensor<35x40xf32> {tenon.name = "z"}, %row: tensor<40xf32> {tenon.name = "row"})
    -> (tensor<35x37xf32> {tenon.name = "tanh"}, tensor<35x40xf32> {tenon.name = "sum"}) {
  %0 = tenon.tanh %x : (tensor<35x37xf32>) -> tensor<35x37xf32>
  %1 = tenon.broadcast_in_dim %row dims [1] sizes [35, 40] : (tensor<40xf32>) -> tensor<35x40xf32>
  %2 = tenon.add %z, %1 : (tensor<35x40xf32>, tensor<35x40xf32>) -> tensor<35x40xf32>
  return %0, %2 : tensor<35x37xf32>, tensor<35x40xf32>
}
