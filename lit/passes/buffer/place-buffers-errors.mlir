// RUN: tenon-opt %s --tenon-place-buffers --split-input-file --verify-diagnostics

// Reports all unbounded sizes, each once.
func.func @sizes_from_values(%x: memref<100000xi64>) -> (memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{unsupported: the size of a result depends on values computed during the run}}
  %s = memref.alloc() : memref<100000xi64>
  tenon.fusion map ins(%x : memref<100000xi64>) outs(%s : memref<100000xi64>) {
  ^bb0(%a: tensor<100000xi64>):
    %1 = tenon.negate %a : (tensor<100000xi64>) -> tensor<100000xi64>
    tenon.yield %1 : tensor<100000xi64>
  }
  // expected-error@+1 {{unsupported: the size of a result depends on values computed during the run}}
  %t = memref.alloc() : memref<100000xi64>
  tenon.fusion map ins(%x : memref<100000xi64>) outs(%t : memref<100000xi64>) {
  ^bb0(%a: tensor<100000xi64>):
    %1 = tenon.abs %a : (tensor<100000xi64>) -> tensor<100000xi64>
    tenon.yield %1 : tensor<100000xi64>
  }
  %0 = memref.load %s[%c0] : memref<100000xi64>
  %m = arith.index_cast %0 : i64 to index
  %2 = memref.load %t[%c0] : memref<100000xi64>
  %n = arith.index_cast %2 : i64 to index
  %least = arith.maxsi %n, %c1 : index
  %a = memref.alloc(%m) : memref<?xf32>
  %b = memref.alloc(%least) : memref<?xf32>
  return %a, %b : memref<?xf32>, memref<?xf32>
}

// -----

// A value that a loop has changed is not known before the run.
func.func @size_from_a_loop(%n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{unsupported: the size of a result depends on values computed during the run}}
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c1) -> index {
    %1 = arith.addi %k, %k : index
    scf.yield %1 : index
  }
  %a = memref.alloc(%m) : memref<?xf32>
  return %a : memref<?xf32>
}

// -----

// A large tensor is not computed twice, by the plan function and by the run.
func.func @size_from_a_large_tensor(%x: memref<100000xi64>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: the size of a result depends on values computed during the run}}
  %t = memref.alloc() : memref<100000xi64>
  tenon.fusion map ins(%x : memref<100000xi64>) outs(%t : memref<100000xi64>) {
  ^bb0(%a: tensor<100000xi64>):
    %1 = tenon.negate %a : (tensor<100000xi64>) -> tensor<100000xi64>
    tenon.yield %1 : tensor<100000xi64>
  }
  %n = memref.load %t[%c0] : memref<100000xi64>
  %m = arith.index_cast %n : i64 to index
  %r = memref.alloc(%m) : memref<?xf32>
  return %r : memref<?xf32>
}
