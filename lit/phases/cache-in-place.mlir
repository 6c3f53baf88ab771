// A cache as generation keeps it: in a loop, each layer writes the keys and values of the new tokens to its part of the cache and
// reads the tokens so far. The cache is never copied: each update writes its own rows in the states' memory, and the arena holds
// slices only.
// The same holds if the context chooses the rows and positions.
// RUN: sed 's/^\(tenon.state .*\)2x4x12x128x64xf32>$/\12x4x12x128x64xf32> extents [@rows, @positions]/; s/2x4x12x128x64/2x?x12x?x64/g' %s > %t.mlir
// RUN: tenon compile -q %t.mlir --stop-after=planned -o - | FileCheck %s --implicit-check-not="{{memref.copy .*(128|[?]x64)}}"
// RUN: tenon compile -q %s --stop-after=planned -o - | FileCheck %s --implicit-check-not="{{memref.copy .*128}}"

tenon.context_extent @rows 1 to 16 default 4
tenon.context_extent @positions 1 to 1024 default 128
tenon.state @keys : tensor<2x4x12x128x64xf32>
tenon.state @values : tensor<2x4x12x128x64xf32>
tenon.state @seen : tensor<4x128xi64>

// CHECK-LABEL: func.func @advance(
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi8>, %[[STATE:[^:]*]]: memref<?xi8>, %{{[^:]*}}: memref<?xi64>)
// CHECK-SAME: tenon.arena_bytes = {{[1-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]? :}}
// CHECK: scf.while
// CHECK: %[[KEYS:.*]] = memref.view %[[STATE]][%{{.*}}][{{.*}}] : memref<?xi8> to memref<2x{{4|[?]}}x12x{{128|[?]}}x64xf32>
// CHECK: tenon.fusion{{ +}}scatter ins(%[[KEYS]], {{.*}} outs(%[[KEYS]] : {{.*}}tenon.plan = #tenon.update<
// CHECK: %[[VALUES:.*]] = memref.view %[[STATE]][%{{.*}}][{{.*}}] : memref<?xi8> to memref<2x{{4|[?]}}x12x{{128|[?]}}x64xf32>
// CHECK: tenon.fusion{{ +}}scatter ins(%[[VALUES]], {{.*}} outs(%[[VALUES]] : {{.*}}tenon.plan = #tenon.update<
// CHECK: tenon.fusion{{ +}}scatter ins(%[[KEYS]], {{.*}} outs(%[[KEYS]] : {{.*}}tenon.plan = #tenon.update<
// CHECK: tenon.fusion{{ +}}scatter ins(%[[VALUES]], {{.*}} outs(%[[VALUES]] : {{.*}}tenon.plan = #tenon.update<
// CHECK: tenon.fusion{{ +}}scatter ins(%[[SEEN:[^,]*]], {{.*}} outs(%[[SEEN]] : {{.*}}tenon.plan = #tenon.update<
func.func @advance(%x: tensor<4x12x1x64xf32> {tenon.name = "x"}, %from: tensor<i64> {tenon.name = "from"}, %to: tensor<i64> {tenon.name = "to"})
    -> (tensor<i64> {tenon.name = "end"}) {
  %c1 = arith.constant 1 : index
  %from0 = tensor.extract %from[] : tensor<i64>
  %first = arith.index_cast %from0 : i64 to index
  %to0 = tensor.extract %to[] : tensor<i64>
  %last = arith.index_cast %to0 : i64 to index
  %end:2 = scf.while (%i = %first, %h = %x) : (index, tensor<4x12x1x64xf32>) -> (index, tensor<4x12x1x64xf32>) {
    %go = arith.cmpi slt, %i, %last : index
    scf.condition(%go) %i, %h : index, tensor<4x12x1x64xf32>
  } do {
  ^bb0(%i: index, %h: tensor<4x12x1x64xf32>):
    %k0 = tenon.tanh %h : (tensor<4x12x1x64xf32>) -> tensor<4x12x1x64xf32>
    %k1 = tenon.reshape %k0 sizes [1, 4, 12, 1, 64] : (tensor<4x12x1x64xf32>) -> tensor<1x4x12x1x64xf32>
    %keys0 = tenon.state_read @keys : tensor<2x4x12x128x64xf32>
    %keys1 = tenon.dynamic_update_slice %keys0, %k1 at [0, 0, 0, %i, 0] : (tensor<2x4x12x128x64xf32>, tensor<1x4x12x1x64xf32>, index) -> tensor<2x4x12x128x64xf32>
    tenon.state_write @keys, %keys1 : tensor<2x4x12x128x64xf32>
    %v0 = tenon.sine %h : (tensor<4x12x1x64xf32>) -> tensor<4x12x1x64xf32>
    %v1 = tenon.reshape %v0 sizes [1, 4, 12, 1, 64] : (tensor<4x12x1x64xf32>) -> tensor<1x4x12x1x64xf32>
    %values0 = tenon.state_read @values : tensor<2x4x12x128x64xf32>
    %values1 = tenon.dynamic_update_slice %values0, %v1 at [0, 0, 0, %i, 0] : (tensor<2x4x12x128x64xf32>, tensor<1x4x12x1x64xf32>, index) -> tensor<2x4x12x128x64xf32>
    tenon.state_write @values, %values1 : tensor<2x4x12x128x64xf32>
    %keys2 = tenon.state_read @keys : tensor<2x4x12x128x64xf32>
    %a0 = tenon.slice %keys2 offsets [0, 0, 0, %i, 0] sizes [1, 4, 12, 1, 64] strides [1, 1, 1, 1, 1] : (tensor<2x4x12x128x64xf32>, index) -> tensor<1x4x12x1x64xf32>
    %b0 = tenon.slice %values1 offsets [0, 0, 0, 0, 0] sizes [1, 4, 12, 1, 64] strides [1, 1, 1, 1, 1] : (tensor<2x4x12x128x64xf32>) -> tensor<1x4x12x1x64xf32>
    %h0 = tenon.add %a0, %b0 : (tensor<1x4x12x1x64xf32>, tensor<1x4x12x1x64xf32>) -> tensor<1x4x12x1x64xf32>
    %k2 = tenon.tanh %h0 : (tensor<1x4x12x1x64xf32>) -> tensor<1x4x12x1x64xf32>
    %keys3 = tenon.state_read @keys : tensor<2x4x12x128x64xf32>
    %keys4 = tenon.dynamic_update_slice %keys3, %k2 at [1, 0, 0, %i, 0] : (tensor<2x4x12x128x64xf32>, tensor<1x4x12x1x64xf32>, index) -> tensor<2x4x12x128x64xf32>
    tenon.state_write @keys, %keys4 : tensor<2x4x12x128x64xf32>
    %values3 = tenon.state_read @values : tensor<2x4x12x128x64xf32>
    %values4 = tenon.dynamic_update_slice %values3, %h0 at [1, 0, 0, %i, 0] : (tensor<2x4x12x128x64xf32>, tensor<1x4x12x1x64xf32>, index) -> tensor<2x4x12x128x64xf32>
    tenon.state_write @values, %values4 : tensor<2x4x12x128x64xf32>
    %b1 = tenon.slice %values4 offsets [1, 0, 0, %i, 0] sizes [1, 4, 12, 1, 64] strides [1, 1, 1, 1, 1] : (tensor<2x4x12x128x64xf32>, index) -> tensor<1x4x12x1x64xf32>
    %h1 = tenon.sine %b1 : (tensor<1x4x12x1x64xf32>) -> tensor<1x4x12x1x64xf32>
    %next = tenon.reshape %h1 sizes [4, 12, 1, 64] : (tensor<1x4x12x1x64xf32>) -> tensor<4x12x1x64xf32>
    // Each row's own position.
    %places0 = tenon.convert %next to i64 : (tensor<4x12x1x64xf32>) -> tensor<4x12x1x64xi64>
    %places1 = tenon.slice %places0 offsets [0, 0, 0, 0] sizes [4, 1, 1, 1] strides [1, 1, 1, 1] : (tensor<4x12x1x64xi64>) -> tensor<4x1x1x1xi64>
    %places = tenon.reshape %places1 sizes [4, 1, 1] : (tensor<4x1x1x1xi64>) -> tensor<4x1x1xi64>
    %one = tenon.constant dense<1> : tensor<4x1xi64>
    %seen0 = tenon.state_read @seen : tensor<4x128xi64>
    %seen1 = tenon.scatter add %seen0, %places, %one window_dims [] inserted [1] batching [0] x [0] map [1] vector_dim 2
       : (tensor<4x128xi64>, tensor<4x1x1xi64>, tensor<4x1xi64>) -> tensor<4x128xi64>
    tenon.state_write @seen, %seen1 : tensor<4x128xi64>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next : index, tensor<4x12x1x64xf32>
  }
  %end0 = arith.index_cast %end#0 : index to i64
  %result = tensor.from_elements %end0 : tensor<i64>
  return %result : tensor<i64>
}
