// A maximum of computed numbers costs three instructions: one orders numbers and
// zeros, and two put in NaN.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: {{^}}map.{{.*}}:
// CHECK: vrangeps $5
// CHECK-NEXT: vcmpunordps
// CHECK-NEXT: vaddps {{.*}} {%k
// CHECK-NOT: vmaxps
// CHECK-NOT: vblend
// CHECK: ret
func.func @main(%x: tensor<512xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
  %0 = tenon.maximum %x, %y : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
}
