// Quads of bytes use VNNI's instruction if the machine has it. Other machines multiply pairs of 16 bits. Both wrap and never saturate.
// RUN: tenon-opt %s --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefixes=CHECK,VNNI512
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 32, registers = 16/' %s \
// RUN: | tenon-opt --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefixes=CHECK,VNNI256
// RUN: sed 's/, quads = true//' %s \
// RUN: | tenon-opt --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 32, registers = 16/; s/, quads = true//' %s \
// RUN: | tenon-opt --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: sed 's/vector_bytes = 64, registers = 32/vector_bytes = 16, registers = 16/; s/, quads = true//' %s \
// RUN: | tenon-opt --tenon-plan-kernels --tenon-lower-fusions --split-input-file | FileCheck %s --check-prefixes=CHECK,SSE2

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, quads = true>} {

// Without the instruction a word is two products of even bytes and two of odd
// bytes, in lanes of their own.
// CHECK-LABEL: func.func @product(
// CHECK: vector.load {{.*}}, vector<4xi8>
// VNNI512: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// VNNI256: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"({{.*}}) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// AVX512-NEXT: arith.addi {{.*}} : vector<16xi32>
// AVX512-NEXT: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// AVX2-NEXT: arith.addi {{.*}} : vector<8xi32>
// AVX2-NEXT: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// SSE2: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"({{.*}}) : (vector<8xi16>, vector<8xi16>) -> vector<4xi32>
// SSE2-NEXT: arith.addi {{.*}} : vector<4xi32>
// SSE2-NEXT: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
// CHECK-NOT: {{vpdpbusds|pmaddubs}}
func.func @product(%call: !llvm.ptr, %x: memref<8x100xui8>, %q: memref<3x25x16xi32>, %y: memref<8x40xi32>) {
  tenon.fusion contraction ins(%x, %q : memref<8x100xui8>, memref<3x25x16xi32>) outs(%y : memref<8x40xi32>) {
  ^bb0(%a: tensor<8x100xui8>, %b: tensor<3x25x16xi32>):
    %p = tenon.unquad %b : (tensor<3x25x16xi32>) -> tensor<3x100x16xi8>
    %w = tenon.unpack %p dim 1 extent 40 : (tensor<3x100x16xi8>) -> tensor<100x40xi8>
    %0 = tenon.dot_general %a, %w batch [] x [] contract [1] x [0] products quads : (tensor<8x100xui8>, tensor<100x40xi8>) -> tensor<8x40xi32>
    tenon.yield %0 : tensor<8x40xi32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, quads = true>} {

// Channels that are adjacent in memory are quads.
// CHECK-LABEL: func.func @side_by_side(
// CHECK: vector.load {{.*}}, vector<4xi8>
// CHECK: {{vpdpbusd|pmadd}}
func.func @side_by_side(%call: !llvm.ptr, %x: memref<1x4x4x4xui8>, %q: memref<1x3x3x1x16xi32>, %y: memref<1x4x4x16xi32>) {
  tenon.fusion contraction ins(%x, %q : memref<1x4x4x4xui8>, memref<1x3x3x1x16xi32>) outs(%y : memref<1x4x4x16xi32>) {
  ^bb0(%a: tensor<1x4x4x4xui8>, %b: tensor<1x3x3x1x16xi32>):
    %p = tenon.unquad %b : (tensor<1x3x3x1x16xi32>) -> tensor<1x3x3x4x16xi8>
    %w = tenon.unpack %p dim 3 extent 16 : (tensor<1x3x3x4x16xi8>) -> tensor<3x3x4x16xi8>
    %0 = tenon.convolution %a, %w strides [1, 1] padding [1, 1, 1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 products quads : (tensor<1x4x4x4xui8>, tensor<3x3x4x16xi8>) -> tensor<1x4x4x16xi32>
    tenon.yield %0 : tensor<1x4x4x16xi32>
  }
  return
}
}

// -----

module attributes {tenon.machine = #tenon.machine<vector_bytes = 64, registers = 32, caches = [32768, 524288, 67108864], line = 64, stack = 262144, quads = true>} {

// Channels in different planes are no quads.
// CHECK-LABEL: func.func @in_planes(
// CHECK-NOT: {{vpdpbusd|pmadd}}
func.func @in_planes(%call: !llvm.ptr, %x: memref<1x4x4x4xui8>, %q: memref<1x1x1x1x16xi32>, %y: memref<1x4x4x16xi32>) {
  tenon.fusion contraction ins(%x, %q : memref<1x4x4x4xui8>, memref<1x1x1x1x16xi32>) outs(%y : memref<1x4x4x16xi32>) {
  ^bb0(%a: tensor<1x4x4x4xui8>, %b: tensor<1x1x1x1x16xi32>):
    %0 = tenon.transpose %a [0, 2, 3, 1] : (tensor<1x4x4x4xui8>) -> tensor<1x4x4x4xui8>
    %p = tenon.unquad %b : (tensor<1x1x1x1x16xi32>) -> tensor<1x1x1x4x16xi8>
    %w = tenon.unpack %p dim 3 extent 16 : (tensor<1x1x1x4x16xi8>) -> tensor<1x1x4x16xi8>
    %1 = tenon.convolution %0, %w strides [1, 1] padding [0, 0, 0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] groups 1 products quads : (tensor<1x4x4x4xui8>, tensor<1x1x4x16xi8>) -> tensor<1x4x4x16xi32>
    tenon.yield %1 : tensor<1x4x4x16xi32>
  }
  return
}
}
