; Kernels in LLVM's own intrinsics for matrices, so that the emulator reads what
; LLVM writes for them.

@tiles = internal addrspace(3) global [1024 x i8] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.barrier0()
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)

; 16 rows of A, then 8 columns of B, each of 16 bf16; a lane's four sums.
define ptx_kernel void @multiply(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %piece = mul i32 %lane, 16
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %piece
  %to = getelementptr i8, ptr addrspace(3) @tiles, i32 %piece
  %from2 = getelementptr i8, ptr addrspace(1) %from, i32 512
  %to2 = getelementptr i8, ptr addrspace(3) %to, i32 512
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to2, ptr addrspace(1) %from2)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier0()
  %row = and i32 %lane, 15
  %half = lshr i32 %lane, 4
  %rowOffset = mul i32 %row, 32
  %halfOffset = mul i32 %half, 16
  %offset = add i32 %rowOffset, %halfOffset
  %atA = getelementptr i8, ptr addrspace(3) @tiles, i32 %offset
  %a = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %atA)
  %column = and i32 %lane, 7
  %halfB = lshr i32 %row, 3
  %columnOffset = mul i32 %column, 32
  %halfBOffset = mul i32 %halfB, 16
  %offsetB = add i32 %columnOffset, %halfBOffset
  %offsetOfB = add i32 %offsetB, 512
  %atB = getelementptr i8, ptr addrspace(3) @tiles, i32 %offsetOfB
  %b = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %atB)
  %a0 = extractvalue { i32, i32, i32, i32 } %a, 0
  %a1 = extractvalue { i32, i32, i32, i32 } %a, 1
  %a2 = extractvalue { i32, i32, i32, i32 } %a, 2
  %a3 = extractvalue { i32, i32, i32, i32 } %a, 3
  %b0 = extractvalue { i32, i32 } %b, 0
  %b1 = extractvalue { i32, i32 } %b, 1
  %c = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 0.0, float 0.0, float 0.0, float 0.0)
  %c0 = extractvalue { float, float, float, float } %c, 0
  %c1 = extractvalue { float, float, float, float } %c, 1
  %c2 = extractvalue { float, float, float, float } %c, 2
  %c3 = extractvalue { float, float, float, float } %c, 3
  %v0 = insertelement <4 x float> poison, float %c0, i32 0
  %v1 = insertelement <4 x float> %v0, float %c1, i32 1
  %v2 = insertelement <4 x float> %v1, float %c2, i32 2
  %v3 = insertelement <4 x float> %v2, float %c3, i32 3
  %place = getelementptr i8, ptr addrspace(1) %out, i32 %piece
  store <4 x float> %v3, ptr addrspace(1) %place, align 16
  ret void
}
