// Rows that are known only at run time: in tiles, or element by element.
func.func @main(%x: tensor<?x48xf32> {tenon.name = "x", tenon.dims = ["rows", 48]}, %w: tensor<48x64xf32> {tenon.name = "w"})
    -> (tensor<?x64xf32> {tenon.name = "y"}) {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x48xf32>, tensor<48x64xf32>) -> tensor<?x64xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}
