// RUN: tenon-opt %s --tenon-to-llvm | FileCheck %s

// Only the LLVM dialect remains, and only the entries are visible from outside.
// CHECK-NOT: {{(func|scf|cf|arith|memref|vector)\.[a-z_]+ }}
// CHECK-DAG: llvm.func @tenon_core_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64)
// CHECK-DAG: llvm.func @layers.run_entry(%{{.*}}: !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @layers.plan_entry(%{{.*}}: !llvm.ptr) -> i32
// CHECK-NOT: builtin.unrealized_conversion_cast
tenon.weight @w : tensor<8x16xf32> from #tenon.source<"model.onnx", 0, 512>
func.func @layers(%x: tensor<?x8xf32>, %n: tensor<i64>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %i : i64 to index
  %w = tenon.get_weight @w : tensor<8x16xf32>
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  %1 = tenon.softmax %0 over 1 : tensor<?x16xf32>
  %2 = scf.for %j = %c0 to %k step %c1 iter_args(%a = %1) -> tensor<?x16xf32> {
    %3 = tenon.negate %a : (tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.yield %3 : tensor<?x16xf32>
  }
  return %2 : tensor<?x16xf32>
}
