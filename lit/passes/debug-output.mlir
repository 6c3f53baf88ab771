// The debug output of passes is switched on by the names of passes.
// RUN: tenon-opt %s --tenon-to-planned --debug-only=tenon-plan-fusions,tenon-place-buffers 2>&1 >/dev/null | FileCheck %s --implicit-check-not=tenon-plan-kernels
// RUN: tenon-opt %s --tenon-to-planned --debug-only=tenon-plan-kernels 2>&1 >/dev/null | FileCheck %s --check-prefix=PLAN
// RUN: tenon-opt %s --tenon-to-planned --debug-only=tenon-pack-weights 2>&1 >/dev/null | FileCheck %s --check-prefix=PACK
// RUN: tenon-opt %s --tenon-to-planned 2>&1 >/dev/null | count 0

// CHECK: [tenon-plan-fusions {{.*}}] tenon.dot_general starts group 0
// CHECK: [tenon-plan-fusions {{.*}}] tenon.tanh starts group 1: the contraction reads each element several times
// CHECK: [tenon-place-buffers {{.*}}] 1280 bytes at 0 in steps
// PLAN: [tenon-plan-kernels {{.*}}] node "act": #tenon.general
// PLAN: [tenon-plan-kernels {{.*}}] node "matmul": #tenon.tile<
// PACK: [tenon-pack-weights {{.*}}] "w": 1 readers of column 1, 0 gathers, extent 32, width 16
tenon.weight @w : tensor<16x32xf32> from #tenon.source<"m.bin", 0, 2048>
func.func @main(%x: tensor<20x16xf32> {tenon.name = "x"}) -> (tensor<20x32xf32> {tenon.name = "y"}) {
  %w = tenon.get_weight @w : tensor<16x32xf32>
  %0 = tenon.tanh %x : (tensor<20x16xf32>) -> tensor<20x16xf32> loc("act")
  %1 = tenon.dot_general %0, %w batch [] x [] contract [1] x [0] : (tensor<20x16xf32>, tensor<16x32xf32>) -> tensor<20x32xf32> loc("matmul")
  return %1 : tensor<20x32xf32>
}
