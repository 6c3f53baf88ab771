// The exponentials of the next tile are computed between the products of this
// one: two multiply-adds of an exponential have products between them. A sum
// that has passed the code which keeps them apart is used in its stead, so that
// its register is not copied.
// RUN: tenon-opt %s --tenon-to-llvm \
// RUN: | mlir-translate --mlir-to-llvmir | opt -O2 -mcpu=x86-64-v4 -S > %t.ll
// RUN: FileCheck --check-prefix=HELD %s < %t.ll
// RUN: llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 %t.ll -o - \
// RUN: | grep -o 'vfmadd2[13]*ps\|vpslld' | tr '\n' ' ' | FileCheck %s

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144>} {

// CHECK: {{(vfmadd213ps (vfmadd231ps )+){4,}vfmadd213ps (vfmadd231ps )*vpslld}}
// HELD: %[[BOTH:.*]] = {{.*}}call { <16 x float>, <16 x float> } asm "", "=v,=v,0,1"
// HELD: %[[SUM:.*]] = extractvalue { <16 x float>, <16 x float> } %[[BOTH]], 1
// HELD: call <16 x float> @llvm.fma.v16f32({{.*}}%[[SUM]])
func.func @main(%q: tensor<1x2x128x64xf32>, %k: tensor<1x2x128x64xf32>, %v: tensor<1x2x128x64xf32>) -> tensor<1x2x128x64xf32> {
  %0 = tenon.attention %q, %k, %v order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 0.125 : (tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>) -> tensor<1x2x128x64xf32>
  return %0 : tensor<1x2x128x64xf32>
}
}
