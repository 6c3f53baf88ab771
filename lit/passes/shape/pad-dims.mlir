// RUN: tenon-opt %s --tenon-pad-dims --split-input-file | FileCheck %s

// Elementwise ops pass the padding on; sums along it are masked, and outputs
// are cut.
// CHECK: module {
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[PIECES:.*]] = arith.ceildivui %[[N]], %c8
// CHECK: %[[P:.*]] = arith.muli %[[PIECES]], %c8
// CHECK: %[[MORE:.*]] = arith.subi %[[P]], %[[N]]
// CHECK: %[[PADDED:.*]] = tenon.pad %[[X]], %{{.*}} low [0, 0] high [%[[MORE]], 0]
// CHECK: %[[E:.*]] = tenon.exponential %[[PADDED]]
// CHECK: %[[AT:.*]] = tenon.iota dim 0 sizes [%[[P]], 4]
// CHECK: %[[REAL:.*]] = tenon.compare lt %[[AT]]
// CHECK: %[[MASKED:.*]] = tenon.select %[[REAL]], %[[E]]
// CHECK: %[[S:.*]] = tenon.reduce add %[[MASKED]] over [0]
// CHECK: %[[Y:.*]] = tenon.slice %[[E]] offsets [0, 0] sizes [%[[N]], 4]
// CHECK: return %[[Y]], %[[S]]
module attributes {tenon.pad = {seq = 8}} {
  func.func @rows(%x: tensor<?x4xf32> {tenon.dims = ["seq", 4]}) -> (tensor<?x4xf32>, tensor<4xf32>) {
    %0 = tenon.exponential %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = tenon.reduce add %0 over [0] : (tensor<?x4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<?x4xf32>, tensor<4xf32>
  }
}

// -----

// Both operands of a contraction along the padding are masked, and a softmax
// along it is masked by -inf. An extent shared with another input is padded,
// too.
// CHECK-LABEL: func.func @scores(
// CHECK: %[[Q:.*]] = tenon.pad
// CHECK: %[[K:.*]] = tenon.pad
// CHECK: %[[S:.*]] = tenon.dot_general %[[Q]], %[[K]]
// CHECK: tenon.constant dense<0xFF800000>
// CHECK: %[[M:.*]] = tenon.select %{{.*}}, %[[S]]
// CHECK: %[[W:.*]] = tenon.softmax %[[M]] over 1
// CHECK: %[[L:.*]] = tenon.select %{{.*}}, %[[W]]
// CHECK: %[[R:.*]] = tenon.select %{{.*}}, %[[K]]
// CHECK: %[[O:.*]] = tenon.dot_general %[[L]], %[[R]]
// CHECK: tenon.slice %[[O]]
module attributes {tenon.pad = {seq = 8}} {
  func.func @scores(%q: tensor<?x4xf32> {tenon.dims = ["seq", 4]}, %k: tensor<?x4xf32> {tenon.dims = ["seq", 4]}) -> tensor<?x4xf32> {
    %s = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
    %w = tenon.softmax %s over 1 : tensor<?x?xf32>
    %o = tenon.dot_general %w, %k batch [] x [] contract [1] x [0] : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %o : tensor<?x4xf32>
  }
}

// -----

// A reshape keeps the extent. A function without the named dimension is
// unchanged.
// CHECK-LABEL: func.func @heads(
// CHECK: tenon.reshape %{{.*}} sizes [2, %{{.*}}, 2, 2]
// CHECK: tenon.slice
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: return
module attributes {tenon.pad = {seq = 8}} {
  func.func @heads(%x: tensor<2x?x4xf32> {tenon.dims = [2, "seq", 4]}) -> tensor<2x?x2x2xf32> {
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c1 : tensor<2x?x4xf32>
    %0 = tenon.reshape %x sizes [2, %n, 2, 2] : (tensor<2x?x4xf32>, index) -> tensor<2x?x2x2xf32>
    return %0 : tensor<2x?x2x2xf32>
  }
  func.func @other(%x: tensor<?xf32> {tenon.dims = ["n"]}) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// -----

// The extents before the padded one have equal products, which are computed in different ways.
// CHECK-LABEL: func.func @joined_extents(
// CHECK: tenon.reshape
// CHECK: tenon.slice
module attributes {tenon.pad = {seq = 8}} {
  func.func @joined_extents(%x: tensor<?x?x?xf32> {tenon.dims = ["b", "c", "seq"]}) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
    %c = tensor.dim %x, %c1 : tensor<?x?x?xf32>
    %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
    %twice = arith.muli %c, %c2 : index
    %all = arith.muli %twice, %b : index
    %0 = tenon.concatenate %x, %x dim 1 : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    %1 = tenon.reshape %0 sizes [%all, %n] : (tensor<?x?x?xf32>, index, index) -> tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
}
