// The last step of an exponential, a product with a power of two, is one
// instruction where it has whole vectors. Others shift bits into exponents, and
// so does the exponential of a softmax, which has no upper limit.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 | FileCheck %s
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 32, registers = 16/' %s \
// RUN: | tenon-opt --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v3 \
// RUN: | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 | FileCheck --check-prefix=NARROW %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK-LABEL: {{^}}map.{{.*}}:
// CHECK-NOT: vpslld
// CHECK: vscalefps %zmm
// CHECK-NOT: vpslld
// CHECK: ret
// NARROW-LABEL: {{^}}map.{{.*}}:
// NARROW: vpslld $23
func.func @main(%x: tensor<512xf32>) -> tensor<512xf32> {
  %0 = tenon.exponential %x : (tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// CHECK-LABEL: {{^}}map.{{.*}}:
// CHECK-NOT: {{vminps|vscalefps}}
// CHECK: vpslld $23, %zmm
// CHECK-NEXT: vmulps
// CHECK-NOT: {{vminps|vscalefps}}
// CHECK: ret
func.func @flushed(%x: tensor<512xf32>) -> tensor<512xf32> {
  %0 = tenon.exponential_flushed %x : (tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
}
