// A branch that computes nothing becomes a select of two
// buffers. The lifetimes of both last until the last use of the
// select, so that a buffer written in between gets other memory.
// RUN: tenon-opt %s --tenon-to-placed | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK: %[[GATHERED:.*]] = memref.view %{{.*}}[%[[AT:.*]]][]
// CHECK: arith.select %{{.*}}, %[[GATHERED]], %{{.*}} : memref<1xi64>
// CHECK-NOT: memref.view %{{.*}}[%[[AT]]][]
// CHECK: memref.copy
func.func @main(%a: tensor<1xi64> {tenon.dims = [1], tenon.name = "a"},
                %b: tensor<1xi64> {tenon.dims = [1], tenon.name = "b"},
                %c: tensor<9x4xi16> {tenon.dims = [9, 4], tenon.name = "c"},
                %d: tensor<16x9xi16> {tenon.dims = [16, 9], tenon.name = "d"})
    -> (tensor<16xi16> {tenon.name = "y"}, tensor<1xi64> {tenon.name = "z"}) {
  %0 = tenon.gather %b, %a offset_dims [0] collapsed [] batching [] x [] map [0] vector_dim 0 slice_sizes [1]
     : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %zero = arith.constant 0 : index
  %first = tensor.extract %a[%zero] : tensor<1xi64>
  %one = arith.constant 1 : i64
  %condition = arith.cmpi sgt, %first, %one : i64
  %1 = scf.if %condition -> (tensor<1xi64>) {
    scf.yield %0 : tensor<1xi64>
  } else {
    scf.yield %b : tensor<1xi64>
  }
  %2 = tenon.reduce add %c over [1] : (tensor<9x4xi16>) -> tensor<9xi16>
  %3 = tenon.dot_general %d, %2 batch [] x [] contract [1] x [0] : (tensor<16x9xi16>, tensor<9xi16>) -> tensor<16xi16>
  return %3, %1 : tensor<16xi16>, tensor<1xi64>
}
