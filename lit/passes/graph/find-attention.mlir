// RUN: tenon-opt %s --tenon-find-attention --cse | FileCheck %s

// The product is divided by 4; keys are read through their transpose.
// CHECK-LABEL: func.func @divided(
// CHECK-SAME: %[[Q:.*]]: tensor<2x3x5x16xf32>, %[[K:.*]]: tensor<2x3x7x16xf32>, %[[V:.*]]: tensor<2x3x7x8xf32>
// CHECK-NEXT: %[[R:.*]] = tenon.attention %[[Q]], %[[K]], %[[V]] order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3] scale 2.500000e-01
// CHECK-NEXT: return %[[R]]
func.func @divided(%q: tensor<2x3x5x16xf32>, %k: tensor<2x3x7x16xf32>, %v: tensor<2x3x7x8xf32>) -> tensor<2x3x5x8xf32> {
  %four = tenon.constant dense<4.0> : tensor<2x3x5x7xf32>
  %t = tenon.transpose %k [0, 1, 3, 2] : (tensor<2x3x7x16xf32>) -> tensor<2x3x16x7xf32>
  %0 = tenon.dot_general %q, %t batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<2x3x5x16xf32>, tensor<2x3x16x7xf32>) -> tensor<2x3x5x7xf32>
  %1 = tenon.divide %0, %four : (tensor<2x3x5x7xf32>, tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %2 = tenon.softmax %1 over 3 : tensor<2x3x5x7xf32>
  %3 = tenon.dot_general %2, %v batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<2x3x5x7xf32>, tensor<2x3x7x8xf32>) -> tensor<2x3x5x8xf32>
  return %3 : tensor<2x3x5x8xf32>
}

// Both factors are scaled before the product.
// CHECK-LABEL: func.func @scaled_before(
// CHECK-NEXT: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} order [0, 1] x [0, 1] x [0, 1] to [0, 1] scale 2.500000e-01
func.func @scaled_before(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %half = tenon.constant dense<0.5> : tensor<f32>
  %hq = tenon.broadcast_in_dim %half dims [] sizes [5, 16] : (tensor<f32>) -> tensor<5x16xf32>
  %hk = tenon.broadcast_in_dim %half dims [] sizes [7, 16] : (tensor<f32>) -> tensor<7x16xf32>
  %sq = tenon.multiply %hq, %q : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
  %sk = tenon.multiply %k, %hk : (tensor<7x16xf32>, tensor<7x16xf32>) -> tensor<7x16xf32>
  %0 = tenon.dot_general %sq, %sk batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32>
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// A causal mask computed from positions, then one that is added.
// CHECK-LABEL: func.func @causal_and_added(
// CHECK-SAME: %[[Q:.*]]: tensor<5x16xf32>, %[[K:.*]]: tensor<7x16xf32>, %[[V:.*]]: tensor<7x8xf32>, %[[M:.*]]: tensor<5x7xf32>
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: tenon.attention %[[Q]], %[[K]], %[[V]] mask %[[M]] causal %[[TWO]] fill -1.000000e+04
func.func @causal_and_added(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>, %m: tensor<5x7xf32>) -> tensor<5x8xf32> {
  %fill = tenon.constant dense<-1.0e+04> : tensor<5x7xf32>
  %three = tenon.constant dense<3> : tensor<5x7xi64>
  %r = tenon.iota dim 0 sizes [5, 7] : () -> tensor<5x7xi64>
  %c = tenon.iota dim 1 sizes [5, 7] : () -> tensor<5x7xi64>
  %last = tenon.add %r, %three : (tensor<5x7xi64>, tensor<5x7xi64>) -> tensor<5x7xi64>
  %seen = tenon.compare lt %c, %last : (tensor<5x7xi64>, tensor<5x7xi64>) -> tensor<5x7xi1>
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32>
  %1 = tenon.select %seen, %0, %fill : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = tenon.add %m, %1 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = tenon.softmax %2 over 1 : tensor<5x7xf32>
  %4 = tenon.dot_general %3, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
  return %4 : tensor<5x8xf32>
}

// A constant is recognized as a causal mask by its elements.
// CHECK-LABEL: func.func @triangle(
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} causal %[[ONE]] fill 0xFFF0000000000000
func.func @triangle(%q: tensor<2x3x16xf32>, %k: tensor<2x3x16xf32>, %v: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %fill = tenon.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %t = tenon.constant dense<[[[true, true, false], [true, true, true], [true, true, true]]]> : tensor<1x3x3xi1>
  %seen = tenon.broadcast_in_dim %t dims [0, 1, 2] sizes [2, 3, 3] : (tensor<1x3x3xi1>) -> tensor<2x3x3xi1>
  %0 = tenon.dot_general %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x3x16xf32>, tensor<2x3x16xf32>) -> tensor<2x3x3xf32>
  %1 = tenon.select %seen, %0, %fill : (tensor<2x3x3xi1>, tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %2 = tenon.softmax %1 over 2 : tensor<2x3x3xf32>
  %3 = tenon.dot_general %2, %v batch [0] x [0] contract [2] x [1] : (tensor<2x3x3xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %3 : tensor<2x3x8xf32>
}

// A constant that is nearly causal is a general mask.
// CHECK-LABEL: func.func @no_triangle(
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} fill
// CHECK-NOT: causal
func.func @no_triangle(%q: tensor<3x16xf32>, %k: tensor<3x16xf32>, %v: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %fill = tenon.constant dense<0xFF800000> : tensor<3x3xf32>
  %seen = tenon.constant dense<[[true, false, false], [true, true, false], [false, true, true]]> : tensor<3x3xi1>
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x3xf32>
  %1 = tenon.select %seen, %0, %fill : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = tenon.softmax %1 over 1 : tensor<3x3xf32>
  %3 = tenon.dot_general %2, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// Keys are masked where the mask is true.
// CHECK-LABEL: func.func @hidden(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<3x3xi1>
// CHECK: %[[SEEN:.*]] = tenon.not %[[M]]
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[SEEN]] fill -1.000000e+09
func.func @hidden(%q: tensor<3x16xf32>, %k: tensor<3x16xf32>, %v: tensor<3x8xf32>, %m: tensor<3x3xi1>) -> tensor<3x8xf32> {
  %fill = tenon.constant dense<-1.0e+09> : tensor<3x3xf32>
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x3xf32>
  %1 = tenon.select %m, %fill, %0 : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = tenon.softmax %1 over 1 : tensor<3x3xf32>
  %3 = tenon.dot_general %2, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// Three slices of one projection, split into heads, are read in place.
// CHECK-LABEL: func.func @sliced(
// CHECK-SAME: %[[X:.*]]: tensor<?x5x96xf32>
// CHECK: %[[H:.*]] = tenon.reshape %[[X]] sizes [%{{.*}}, 5, 12, 8]
// CHECK-DAG: %[[Q:.*]] = tenon.slice %[[H]] offsets [0, 0, 0, 0] sizes [%{{.*}}, 5, 4, 8]
// CHECK-DAG: %[[K:.*]] = tenon.slice %[[H]] offsets [0, 0, 4, 0]
// CHECK-DAG: %[[V:.*]] = tenon.slice %[[H]] offsets [0, 0, 8, 0]
// CHECK: tenon.attention %[[Q]], %[[K]], %[[V]] order [0, 2, 1, 3] x [0, 2, 1, 3] x [0, 2, 1, 3] to [0, 2, 1, 3]
func.func @sliced(%x: tensor<?x5x96xf32>, %n: index) -> tensor<?x5x4x8xf32> {
  %0 = tenon.slice %x offsets [0, 0, 0] sizes [%n, 5, 32] strides [1, 1, 1] : (tensor<?x5x96xf32>, index) -> tensor<?x5x32xf32>
  %1 = tenon.slice %x offsets [0, 0, 32] sizes [%n, 5, 32] strides [1, 1, 1] : (tensor<?x5x96xf32>, index) -> tensor<?x5x32xf32>
  %2 = tenon.slice %x offsets [0, 0, 64] sizes [%n, 5, 32] strides [1, 1, 1] : (tensor<?x5x96xf32>, index) -> tensor<?x5x32xf32>
  %3 = tenon.reshape %0 sizes [%n, 5, 4, 8] : (tensor<?x5x32xf32>, index) -> tensor<?x5x4x8xf32>
  %4 = tenon.reshape %1 sizes [%n, 5, 4, 8] : (tensor<?x5x32xf32>, index) -> tensor<?x5x4x8xf32>
  %5 = tenon.reshape %2 sizes [%n, 5, 4, 8] : (tensor<?x5x32xf32>, index) -> tensor<?x5x4x8xf32>
  %6 = tenon.dot_general %3, %4 batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<?x5x4x8xf32>, tensor<?x5x4x8xf32>) -> tensor<?x4x5x5xf32>
  %7 = tenon.softmax %6 over 3 : tensor<?x4x5x5xf32>
  %8 = tenon.dot_general %7, %5 batch [0, 1] x [0, 2] contract [3] x [1] : (tensor<?x4x5x5xf32>, tensor<?x5x4x8xf32>) -> tensor<?x4x5x8xf32>
  %9 = tenon.transpose %8 [0, 2, 1, 3] : (tensor<?x4x5x8xf32>) -> tensor<?x5x4x8xf32>
  return %9 : tensor<?x5x4x8xf32>
}

// Heads that are merged with the batch get their own dimension.
// CHECK-LABEL: func.func @merged_heads(
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} order [1, 2, 0, 3] x [1, 2, 0, 3] x [1, 2, 0, 3] to [1, 2, 0, 3] {{.*}} -> tensor<5x?x4x8xf32>
// CHECK: tenon.reshape %{{.*}} sizes [5, %{{.*}}, 8]
func.func @merged_heads(%q: tensor<5x?x32xf32>, %k: tensor<5x?x32xf32>, %v: tensor<5x?x32xf32>, %n: index) -> tensor<5x?x8xf32> {
  %0 = tenon.reshape %q sizes [5, %n, 8] : (tensor<5x?x32xf32>, index) -> tensor<5x?x8xf32>
  %1 = tenon.reshape %k sizes [5, %n, 8] : (tensor<5x?x32xf32>, index) -> tensor<5x?x8xf32>
  %2 = tenon.reshape %v sizes [5, %n, 8] : (tensor<5x?x32xf32>, index) -> tensor<5x?x8xf32>
  %3 = tenon.dot_general %0, %1 batch [1] x [1] contract [2] x [2] : (tensor<5x?x8xf32>, tensor<5x?x8xf32>) -> tensor<?x5x5xf32>
  %4 = tenon.softmax %3 over 2 : tensor<?x5x5xf32>
  %5 = tenon.dot_general %4, %2 batch [0] x [1] contract [2] x [0] : (tensor<?x5x5xf32>, tensor<5x?x8xf32>) -> tensor<?x5x8xf32>
  %6 = tenon.transpose %5 [1, 0, 2] : (tensor<?x5x8xf32>) -> tensor<5x?x8xf32>
  return %6 : tensor<5x?x8xf32>
}

// Keys and values that are repeated for groups of heads are shared by the
// groups.
// CHECK-LABEL: func.func @shared_heads(
// CHECK-SAME: %[[Q:.*]]: tensor<?x6x5x8xf32>, %[[K:.*]]: tensor<?x2x7x8xf32>, %[[V:[a-z0-9]+]]: tensor<2x2x7x8xf32>
// CHECK-NOT: tenon.broadcast_in_dim
// CHECK: tenon.attention
// CHECK-SAME: -> tensor<?x6x5x8xf32>
func.func @shared_heads(%q: tensor<?x6x5x8xf32>, %k: tensor<?x2x7x8xf32>, %v: tensor<2x2x7x8xf32>, %n: index) -> tensor<?x6x5x8xf32> {
  %0 = tenon.reshape %k sizes [%n, 2, 1, 7, 8] : (tensor<?x2x7x8xf32>, index) -> tensor<?x2x1x7x8xf32>
  %1 = tenon.broadcast_in_dim %0 dims [0, 1, 2, 3, 4] sizes [%n, 2, 3, 7, 8] : (tensor<?x2x1x7x8xf32>, index) -> tensor<?x2x3x7x8xf32>
  %2 = tenon.reshape %1 sizes [%n, 6, 7, 8] : (tensor<?x2x3x7x8xf32>, index) -> tensor<?x6x7x8xf32>
  %3 = tenon.broadcast_in_dim %v dims [0, 1, 3, 4] sizes [2, 2, 3, 7, 8] : (tensor<2x2x7x8xf32>) -> tensor<2x2x3x7x8xf32>
  %4 = tenon.reshape %3 sizes [2, 6, 7, 8] : (tensor<2x2x3x7x8xf32>) -> tensor<2x6x7x8xf32>
  %5 = tenon.dot_general %q, %2 batch [0, 1] x [0, 1] contract [3] x [3] : (tensor<?x6x5x8xf32>, tensor<?x6x7x8xf32>) -> tensor<?x6x5x7xf32>
  %6 = tenon.softmax %5 over 3 : tensor<?x6x5x7xf32>
  %7 = tenon.dot_general %6, %4 batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<?x6x5x7xf32>, tensor<2x6x7x8xf32>) -> tensor<?x6x5x8xf32>
  return %7 : tensor<?x6x5x8xf32>
}

// If the list of heads is repeated as a whole, neighbours do not share a head.
// CHECK-LABEL: func.func @repeated_otherwise(
// CHECK: tenon.broadcast_in_dim
// CHECK: tenon.attention
func.func @repeated_otherwise(%q: tensor<1x6x5x8xf32>, %k: tensor<1x2x7x8xf32>) -> tensor<1x6x5x8xf32> {
  %0 = tenon.broadcast_in_dim %k dims [0, 2, 3, 4] sizes [1, 3, 2, 7, 8] : (tensor<1x2x7x8xf32>) -> tensor<1x3x2x7x8xf32>
  %1 = tenon.reshape %0 sizes [1, 6, 7, 8] : (tensor<1x3x2x7x8xf32>) -> tensor<1x6x7x8xf32>
  %2 = tenon.dot_general %q, %1 batch [0, 1] x [0, 1] contract [3] x [3] : (tensor<1x6x5x8xf32>, tensor<1x6x7x8xf32>) -> tensor<1x6x5x7xf32>
  %3 = tenon.softmax %2 over 3 : tensor<1x6x5x7xf32>
  %4 = tenon.dot_general %3, %1 batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<1x6x5x7xf32>, tensor<1x6x7x8xf32>) -> tensor<1x6x5x8xf32>
  return %4 : tensor<1x6x5x8xf32>
}

// Attention weights that have other users must be in memory.
// CHECK-LABEL: func.func @weights_needed(
// CHECK-NOT: tenon.attention
func.func @weights_needed(%q: tensor<3x16xf32>, %k: tensor<3x16xf32>, %v: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x3xf32>) {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x3xf32>
  %1 = tenon.softmax %0 over 1 : tensor<3x3xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2, %1 : tensor<3x8xf32>, tensor<3x3xf32>
}

// The softmax must run over the keys.
// CHECK-LABEL: func.func @over_rows(
// CHECK-NOT: tenon.attention
func.func @over_rows(%q: tensor<3x16xf32>, %k: tensor<3x16xf32>, %v: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x3xf32>
  %1 = tenon.softmax %0 over 0 : tensor<3x3xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// The op cannot add a mask before the scores are scaled.
// CHECK-LABEL: func.func @scaled_after_mask(
// CHECK-NOT: tenon.attention
func.func @scaled_after_mask(%q: tensor<3x16xf32>, %k: tensor<3x16xf32>, %v: tensor<3x8xf32>, %m: tensor<3x3xf32>) -> tensor<3x8xf32> {
  %four = tenon.constant dense<4.0> : tensor<3x3xf32>
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf32>, tensor<3x16xf32>) -> tensor<3x3xf32>
  %1 = tenon.add %0, %m : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = tenon.divide %1, %four : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = tenon.softmax %2 over 1 : tensor<3x3xf32>
  %4 = tenon.dot_general %3, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %4 : tensor<3x8xf32>
}

// f64 has no kernel for attention.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: tenon.attention
func.func @wide(%q: tensor<3x16xf64>, %k: tensor<3x16xf64>, %v: tensor<3x8xf64>) -> tensor<3x8xf64> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<3x16xf64>, tensor<3x16xf64>) -> tensor<3x3xf64>
  %1 = tenon.softmax %0 over 1 : tensor<3x3xf64>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<3x3xf64>, tensor<3x8xf64>) -> tensor<3x8xf64>
  return %2 : tensor<3x8xf64>
}
