// tenon-reduce keeps what the test needs and removes the rest.
// REQUIRES: tenon-reduce
// RUN: printf '#!/bin/sh\ngrep -q tenon.tanh "$1" && exit 1\nexit 0\n' > %t.sh
// RUN: chmod +x %t.sh
// RUN: tenon-reduce %s --reduction-tree='traversal-mode=0 test=%t.sh' | FileCheck %s

// CHECK: @kept
// CHECK: tenon.tanh
// CHECK-NOT: @dropped
func.func @dropped(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tenon.abs %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @kept(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tenon.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
