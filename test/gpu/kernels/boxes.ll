; A box of a tensor, copied with LLVM's own intrinsics.

@box = internal addrspace(3) global [2048 x i8] undef, align 1024
@bar = internal addrspace(3) global i64 undef, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)

define ptx_kernel void @copyBox(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %map, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %toMap, i32 %x, i32 %y) {
  %generic = addrspacecast ptr addrspace(3) @box to ptr
  %cluster = addrspacecast ptr %generic to ptr addrspace(7)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @bar, i32 1)
  call void asm sideeffect "fence.mbarrier_init.release.cluster;", "~{memory}"()
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 2048;", "r,~{memory}"(ptr addrspace(3) @bar)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %cluster, ptr addrspace(3) @bar, ptr %map, i32 %x, i32 %y, i16 0, i64 0, i1 false, i1 false, i32 0)
  br label %wait
wait:
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r,~{memory}"(ptr addrspace(3) @bar)
  %isDone = icmp ne i32 %done, 0
  br i1 %isDone, label %store, label %wait
store:
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) @box, ptr %toMap, i32 %x, i32 %y, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)
  ret void
}
