// Requirements of an op on its operands are stated before folding: the inner
// broadcast is removed, but the check that its extent is one or equals the
// outer one stays.
// RUN: tenon compile %s --stop-after=shaped -o - | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         tenon.check_size {{.*}}extent 0 (\22n\22) of input \22x\22 must be one or
// CHECK:         tenon.broadcast_in_dim %{{.*}} dims [] sizes
// CHECK-NOT:     tenon.broadcast_in_dim
func.func @main(%x: tensor<?xf32> {tenon.name = "x", tenon.dims = ["n"]},
                %y: tensor<?xf32> {tenon.name = "y", tenon.dims = ["m"]})
    -> (tensor<?xf32> {tenon.name = "z"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %one = tenon.constant dense<1.0> : tensor<f32>
  %inner = tenon.broadcast_in_dim %one dims [] sizes [%n]
    : (tensor<f32>, index) -> tensor<?xf32>
  %outer = tenon.broadcast_in_dim %inner dims [0] sizes [%m]
    : (tensor<?xf32>, index) -> tensor<?xf32>
  %z = tenon.add %outer, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
