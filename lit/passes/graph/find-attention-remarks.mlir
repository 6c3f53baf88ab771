// Remarks say which softmax became attention, and which part of the pattern the others lack.
// RUN: tenon-opt %s --tenon-find-attention --remarks-filter=attention 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: loc("values"): [Passed] attention | Category:attention | Function=found | Remark="the product of queries and keys (node "scores"), its softmax and this product are one kernel"
func.func @found(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32> loc("scores")
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32> loc("values")
  return %2 : tensor<5x8xf32>
}

// CHECK: remark: loc("other"): [Missed] no-attention | {{.*}}Function=other_function | Reason="another op than a scale or a mask computes the scores", Remark="softmax and products have kernels of their own"
func.func @other_function(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32>
  %t = tenon.tanh %0 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tenon.softmax %t over 1 : tensor<5x7xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32> loc("other")
  return %2 : tensor<5x8xf32>
}

// CHECK: remark: loc("kept"): [Missed] no-attention | {{.*}}Reason="other ops read the softmax too"
func.func @softmax_returned(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>) -> (tensor<5x8xf32>, tensor<5x7xf32>) {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32>
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf32>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32> loc("kept")
  return %2, %1 : tensor<5x8xf32>, tensor<5x7xf32>
}

// CHECK: remark: loc("dropped"): [Missed] no-attention | {{.*}}Reason="node "dropout" (tenon.multiply) stands between the softmax and the product"
func.func @between(%q: tensor<5x16xf32>, %k: tensor<7x16xf32>, %v: tensor<7x8xf32>, %d: tensor<5x7xf32>) -> tensor<5x8xf32> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf32>, tensor<7x16xf32>) -> tensor<5x7xf32>
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf32>
  %m = tenon.multiply %1, %d : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32> loc("dropout")
  %2 = tenon.dot_general %m, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32> loc("dropped")
  return %2 : tensor<5x8xf32>
}

// CHECK: remark: loc("double"): [Missed] no-attention | {{.*}}Reason="the element type or the depth of a head is not supported"
func.func @f64(%q: tensor<5x16xf64>, %k: tensor<7x16xf64>, %v: tensor<7x8xf64>) -> tensor<5x8xf64> {
  %0 = tenon.dot_general %q, %k batch [] x [] contract [1] x [1] : (tensor<5x16xf64>, tensor<7x16xf64>) -> tensor<5x7xf64>
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf64>
  %2 = tenon.dot_general %1, %v batch [] x [] contract [1] x [0] : (tensor<5x7xf64>, tensor<7x8xf64>) -> tensor<5x8xf64> loc("double")
  return %2 : tensor<5x8xf64>
}

// A softmax of no product, such as a classifier's, is not reported.
func.func @classifier(%x: tensor<5x16xf32>, %w: tensor<16x7xf32>) -> tensor<5x7xf32> {
  %0 = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<5x16xf32>, tensor<16x7xf32>) -> tensor<5x7xf32>
  %1 = tenon.softmax %0 over 1 : tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
