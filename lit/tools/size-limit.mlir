// The product of a tensor's nonzero extents is limited, so that strides
// and collapsed extents fit 64 bits, even beside an extent of zero.
// RUN: split-file %s %t
// RUN: %exit 5 tenon compile -q %t/argument.mlir -o %t/argument.so 2>&1 | FileCheck %s --check-prefix=SPAN
// RUN: %exit 5 tenon compile -q %t/inner.mlir -o %t/inner.so 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: tenon compile -q %t/most.mlir -o %t/most.so
// RUN: tenon run -q %t/most.so --input=random | FileCheck %s --check-prefix=MOST

// SPAN: argument.mlir: line 1, column {{[0-9]+}}: error: limit: expected the product of a tensor's extents other than zero to be at most 4611686018427387904, got 'tensor<0x4x4611686018427387904xf32>'
// INNER: inner.mlir: line 2, column {{[0-9]+}}: error: limit: {{.*}} got 'tensor<0x4611686018427387904x4xf32>'
// MOST: f32[0,4611686018427387904] empty

//--- argument.mlir
func.func @main(%x: tensor<0x4x4611686018427387904xf32>) -> tensor<0x4x4611686018427387904xf32> {
  return %x : tensor<0x4x4611686018427387904xf32>
}

//--- inner.mlir
func.func @main(%x: tensor<0x4611686018427387904xf32>) -> tensor<0x4611686018427387904xf32> {
  %y = tenon.broadcast_in_dim %x dims [0, 1] sizes [0, 4611686018427387904, 4] : (tensor<0x4611686018427387904xf32>) -> tensor<0x4611686018427387904x4xf32>
  %z = tenon.slice %y offsets [0, 0, 0] sizes [0, 4611686018427387904, 1] strides [1, 1, 1] : (tensor<0x4611686018427387904x4xf32>) -> tensor<0x4611686018427387904x1xf32>
  %w = tenon.reshape %z sizes [0, 4611686018427387904] : (tensor<0x4611686018427387904x1xf32>) -> tensor<0x4611686018427387904xf32>
  return %w : tensor<0x4611686018427387904xf32>
}

//--- most.mlir
func.func @main(%x: tensor<0x4611686018427387904xf32>) -> tensor<0x4611686018427387904xf32> {
  %y = tenon.negate %x : (tensor<0x4611686018427387904xf32>) -> tensor<0x4611686018427387904xf32>
  return %y : tensor<0x4611686018427387904xf32>
}
