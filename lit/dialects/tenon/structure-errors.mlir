// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'tenon.weight' op expected a static tensor type and either a source or a recipe (C1)}}
tenon.weight @weight_c1 : tensor<4xf32>

// -----

// expected-error@+1 {{'tenon.weight' op expected a source of 16 bytes (C2), got 12}}
tenon.weight @weight_c2 : tensor<4xf32> from #tenon.source<"model.onnx", 0, 12>

// -----

// expected-error@+1 {{'tenon.weight' op expected the recipe to yield 'tensor<4xf32>' (C3)}}
tenon.weight @weight_c3 : tensor<4xf32> {
  %0 = tenon.constant dense<1.0> : tensor<5xf32>
  tenon.yield %0 : tensor<5xf32>
}

// -----

func.func @get_weight_c1() {
  // expected-error@+1 {{'tenon.get_weight' op expected a weight of type 'tensor<4xf32>' named missing (C1)}}
  %0 = tenon.get_weight @missing : tensor<4xf32>
  return
}

// -----

func.func @fusion_c1(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected region argument 'tensor<5xf32>' to match input 'tensor<4xf32>' (C1)}}
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<5xf32>):
    %1 = tenon.constant dense<1.0> : tensor<4xf32>
    tenon.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @fusion_c2(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected yielded 'tensor<5xf32>' to match output 'tensor<4xf32>' (C2)}}
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = tenon.constant dense<1.0> : tensor<5xf32>
    tenon.yield %1 : tensor<5xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @fusion_c3(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected a result per tensor output, of its type (C3)}}
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  } -> tensor<5xf32>
  return
}

// -----

func.func @fusion_c4(%x: tensor<4xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'tenon.fusion' op expected attention where it is streamed (C4)}}
  %0 = tenon.fusion map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) attributes {streamed} {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

func.func @launch_c1(%x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{'tenon.launch' op expected a function without results named @missing (C1)}}
  tenon.launch @missing tasks %n flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

// expected-note@+1 {{the kernel is here}}
func.func private @kernel(!llvm.ptr, memref<4xf32>, index)
func.func @launch_c2(%x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{'tenon.launch' op expected a kernel of a pointer, the operands and two index (C2), got one of '!llvm.ptr', 'memref<4xf32>', 'index'}}
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  return
}

// -----

// expected-note@+1 {{the kernel is here}}
func.func private @kernel(!llvm.ptr, memref<4xf64>, index, index)
func.func @launch_c2_of_types(%x: memref<4xf32>, %n: index) {
  // expected-error@+1 {{'tenon.launch' op expected a kernel of a pointer, the operands and two index (C2), got one of '!llvm.ptr', 'memref<4xf64>', 'index', 'index'}}
  tenon.launch @kernel tasks %n flops %n bytes %n (%x) : memref<4xf32>
  return
}
