// A constant limit costs one instruction: there is no test
// for NaN, and a product that follows stays one instruction.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: {{^}}map.{{.*}}:
// CHECK-NOT: vcmp
// CHECK: vminps
// CHECK-NEXT: vmaxps
// CHECK-NEXT: vmulps
// CHECK-NOT: vcmp
// CHECK: ret
func.func @main(%x: tensor<512xf32>) -> tensor<512xf32> {
  %low = tenon.constant dense<0.0> : tensor<512xf32>
  %three = tenon.constant dense<3.0> : tensor<512xf32>
  %six = tenon.constant dense<6.0> : tensor<512xf32>
  %0 = tenon.add %x, %three : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %1 = tenon.clamp %low, %0, %six : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %2 = tenon.multiply %x, %1 : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %2 : tensor<512xf32>
}
}
