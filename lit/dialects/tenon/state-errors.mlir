// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected a ranked tensor type (C1), got 'tensor<*xf32>'}}
tenon.state @state_c1 : tensor<*xf32>

// -----

// expected-error@+1 {{expected 1 context extents, one for each dynamic dimension (C1), got 0}}
tenon.state @state_c1_extents : tensor<?x4xf32>

// -----

// expected-error@+1 {{expected a context extent named rows (C1)}}
tenon.state @state_c1_missing : tensor<?x4xf32> extents [@rows]

// -----

tenon.context_extent @rows 1 to 4 default 1
// expected-error@+1 {{expected an initial value of 'tensor<?xf32>' (C2), got 'tensor<3xf32>'}}
tenon.state @state_c2_open : tensor<?xf32> extents [@rows] = dense<0.0> : tensor<3xf32>

// -----

// expected-error@+1 {{expected 0 <= least <= default <= most (C1), got -1, 1 and 4}}
tenon.context_extent @context_extent_c1 -1 to 4 default 1

// -----

// expected-error@+1 {{expected 0 <= least <= default <= most (C1), got 1, 5 and 4}}
tenon.context_extent @context_extent_c1_default 1 to 4 default 5

// -----

func.func @get_extent_c1() {
  // expected-error@+1 {{expected a context extent named rows (C1)}}
  %0 = tenon.get_extent @rows
  return
}

// -----

tenon.state @s : tensor<2xf32>
func.func @state_offset_c1() {
  // expected-error@+1 {{expected a state with context extents named s (C1)}}
  %0 = tenon.state_offset @s
  return
}

// -----

// expected-error@+1 {{expected an initial value of 'tensor<2xf32>' (C2), got 'tensor<3xf32>'}}
tenon.state @state_c2 : tensor<2xf32> = dense<0.0> : tensor<3xf32>

// -----

tenon.weight @w : tensor<2xf32> from #tenon.source<"model.onnx", 0, 8>
// expected-error@+1 {{expected a weight of type 'tensor<2xi32>' named w (C2)}}
tenon.state @state_c2_weight : tensor<2xi32> from @w

// -----

// expected-error@+1 {{expected a weight of type 'tensor<2xi32>' named nothing (C2)}}
tenon.state @state_c2_missing : tensor<2xi32> from @nothing

// -----

tenon.weight @w : tensor<2xf32> from #tenon.source<"model.onnx", 0, 8>
// expected-error@+1 {{expected one initial value, a weight or a constant (C2), got both}}
tenon.state @state_c2_both : tensor<2xf32> from @w = dense<0.0> : tensor<2xf32>

// -----

tenon.state @s : tensor<2xf32>
func.func @state_read_c1() {
  // expected-error@+1 {{expected a state of type 'tensor<3xf32>' named s (C1)}}
  %0 = tenon.state_read @s : tensor<3xf32>
  return
}

// -----

tenon.state @s : tensor<2xf32>
func.func @state_write_c1(%v: tensor<2xi32>) {
  // expected-error@+1 {{expected a state of type 'tensor<2xi32>' named s (C1)}}
  tenon.state_write @s, %v : tensor<2xi32>
  return
}

// -----

func.func @state_memory_c1() {
  // expected-error@+1 {{expected a state of type 'memref<2xf32>' named s (C1)}}
  %0 = tenon.state_memory @s : memref<2xf32>
  return
}
