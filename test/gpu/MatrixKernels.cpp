// Texts of kernels for matrix units.
#include "test/gpu/MatrixKernels.h"

namespace tenon::ptx {
namespace {
std::string number(int value) { return std::to_string(value); }

/// Copies a thread's four pieces of 16 bytes into the stage at %to.
std::string copyStage() {
  std::string text;
  for (int half = 0; half < 2; ++half)
    for (const char *matrix : {"a", "b"}) {
      int offset = (matrix[0] == 'a' ? 0 : 8192) + 4096 * half;
      text += std::string("cp.async.cg.shared.global [%to+") + number(offset) +
              "], [%" + matrix + "From" + number(half) + "], 16;\n" +
              "add.s64 %" + matrix + "From" + number(half) + ", %" + matrix +
              "From" + number(half) + ", 64;\n";
    }
  return text + "cp.async.commit_group;\n";
}

/// The products of one stage at %at: two steps of 16.
std::string multiplyStage() {
  std::string text;
  for (int step = 0; step < 2; ++step) {
    std::string at = step
                         ? "xor.b32 %aAt, %aRow, 32; xor.b32 %bAt, %bRow, 32;\n"
                         : "mov.b32 %aAt, %aRow; mov.b32 %bAt, %bRow;\n";
    text += at + "add.s32 %aAt, %aAt, %at; add.s32 %bAt, %bAt, %at;\n";
    for (int tile = 0; tile < 4; ++tile)
      text += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {" +
              registersOf("%a", 4 * tile, 4) + "}, [%aAt+" +
              number(1024 * tile) + "];\n";
    for (int pair = 0; pair < 2; ++pair)
      text += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {" +
              registersOf("%b", 4 * pair, 4) + "}, [%bAt+" +
              number(8192 + 1024 * pair) + "];\n";
    for (int down = 0; down < 4; ++down)
      for (int across = 0; across < 4; ++across) {
        std::string sums =
            "{" + registersOf("%c", 16 * down + 4 * across, 4) + "}";
        text += "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " + sums +
                ", {" + registersOf("%a", 4 * down, 4) + "}, {" +
                registersOf("%b", 2 * across, 2) + "}, " + sums + ";\n";
      }
  }
  return text;
}

std::string storeSums() {
  std::string text;
  for (int down = 0; down < 4; ++down)
    for (int half = 0; half < 2; ++half) {
      for (int across = 0; across < 4; ++across)
        text += "st.global.v2.f32 [%out+" + number(32 * across) + "], {" +
                registersOf("%c", 16 * down + 4 * across + 2 * half, 2) +
                "};\n";
      text += "add.s64 %out, %out, %eightRows;\n";
    }
  return text;
}
} // namespace

std::string wgmmaProduct() {
  std::string text = R"(.version 8.0
.target sm_90a
.address_size 64
.shared .align 1024 .b8 stages[32768];
.shared .align 8 .b8 bars[32];
.visible .entry product(.param .u64 pc, .param .u32 pDepth, .param .u32 pColumns,
                        .param .align 64 .b8 mapA[128],
                        .param .align 64 .b8 mapB[128])
.maxntid 160, 1, 1
{
.reg .pred %first, %leads, %copies, %done, %again, %adds;
.reg .b32 %thread, %warp, %lane, %row, %column, %depth, %columns, %at, %x;
.reg .b32 %stage, %parity, %full, %free, %stages, %down, %across, %dropped;
.reg .f32 %c<32>;
.reg .b64 %out, %wide, %mapA, %mapB, %a, %b, %aStep, %bStep, %eightRows;
ld.param.u64 %out, [pc];
ld.param.u32 %depth, [pDepth];
ld.param.u32 %columns, [pColumns];
mov.b64 %mapA, mapA;
cvta.param.u64 %mapA, %mapA;
mov.b64 %mapB, mapB;
cvta.param.u64 %mapB, %mapB;
mov.u32 %thread, %tid.x;
shr.u32 %warp, %thread, 5;
and.b32 %lane, %thread, 31;
mov.u32 %stages, stages;
mov.u32 %down, %ctaid.y;
shl.b32 %down, %down, 6;
mov.u32 %across, %ctaid.x;
shl.b32 %across, %across, 6;
setp.eq.u32 %first, %thread, 0;
@%first mbarrier.init.shared::cta.b64 [bars], 1;
@%first mbarrier.init.shared::cta.b64 [bars+8], 1;
@%first mbarrier.init.shared::cta.b64 [bars+16], 128;
@%first mbarrier.init.shared::cta.b64 [bars+24], 128;
@%first fence.mbarrier_init.release.cluster;
bar.sync 0;
mov.u32 %at, 0;
mov.u32 %stage, 0;
setp.eq.u32 %copies, %warp, 4;
@!%copies bra MULTIPLY;

// The warp that copies: of a stage it waits for the phase before the last.
setmaxnreg.dec.sync.aligned.u32 40;
elect.sync %dropped|%leads, -1;
mov.u32 %parity, 1;
COPY:
mov.u32 %full, bars;
mad.lo.u32 %full, %stage, 8, %full;
add.u32 %free, %full, 16;
FREE:
mbarrier.try_wait.parity.shared::cta.b64 %done, [%free], %parity;
@!%done bra FREE;
shl.b32 %x, %stage, 14;
add.u32 %x, %x, %stages;
@%leads mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 16384;
@%leads cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%x], [%mapA, {%at, %down}], [%full];
@%leads cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%x+8192], [%mapB, {%at, %across}], [%full];
add.u32 %at, %at, 64;
xor.b32 %stage, %stage, 1;
setp.eq.u32 %again, %stage, 0;
@%again xor.b32 %parity, %parity, 1;
setp.lt.u32 %again, %at, %depth;
@%again bra COPY;
ret;

MULTIPLY:
setmaxnreg.inc.sync.aligned.u32 232;
mov.u32 %parity, 0;
NEXT:
mov.u32 %full, bars;
mad.lo.u32 %full, %stage, 8, %full;
add.u32 %free, %full, 16;
FULL:
mbarrier.try_wait.parity.shared::cta.b64 %done, [%full], %parity;
@!%done bra FULL;
// Rows of 128 bytes, swizzled; eight rows are 1024 bytes.
shl.b32 %x, %stage, 14;
add.u32 %x, %x, %stages;
shr.u32 %x, %x, 4;
cvt.u64.u32 %a, %x;
or.b64 %a, %a, 4611686293305360384;
add.s64 %b, %a, 512;
wgmma.fence.sync.aligned;
)";
  for (int step = 0; step < 4; ++step) {
    text += "setp.ne.u32 %adds, %at, 0;\n";
    if (step)
      text += "add.s64 %a, %a, 2; add.s64 %b, %b, 2; "
              "setp.eq.u32 %adds, 0, 0;\n";
    text += "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" +
            registersOf("%c", 0, 32) + "}, %a, %b, %adds, 1, 1, 0, 0;\n";
  }
  text += R"(wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mbarrier.arrive.shared::cta.b64 _, [%free];
add.u32 %at, %at, 64;
xor.b32 %stage, %stage, 1;
setp.eq.u32 %again, %stage, 0;
@%again xor.b32 %parity, %parity, 1;
setp.lt.u32 %again, %at, %depth;
@%again bra NEXT;

shr.u32 %row, %lane, 2;
mad.lo.u32 %row, %warp, 16, %row;
add.u32 %row, %row, %down;
and.b32 %column, %lane, 3;
mad.lo.u32 %column, %column, 2, %across;
mad.lo.u32 %row, %row, %columns, %column;
mul.wide.u32 %wide, %row, 4;
add.s64 %out, %out, %wide;
mul.wide.u32 %eightRows, %columns, 32;
)";
  for (int half = 0; half < 2; ++half) {
    for (int panel = 0; panel < 8; ++panel)
      text += "st.global.v2.f32 [%out+" + number(32 * panel) + "], {" +
              registersOf("%c", 4 * panel + 2 * half, 2) + "};\n";
    text += "add.s64 %out, %out, %eightRows;\n";
  }
  return text + "ret;\n}\n";
}

std::string mmaProduct() {
  std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.shared .align 128 .b8 stages[32768];
.visible .entry product(.param .u64 pa, .param .u64 pb, .param .u64 pc,
                        .param .u32 pDepth, .param .u32 pColumns)
.maxntid 256, 1, 1
{
.reg .pred %more, %again;
.reg .b32 %thread, %lane, %warp, %row, %piece, %x, %y, %z, %to, %at, %stages, %step;
.reg .b32 %depth, %columns, %left, %aRow, %bRow, %aAt, %bAt, %down, %across;
.reg .b32 %a<16>, %b<8>;
.reg .f32 %c<64>;
.reg .b64 %pa, %pb, %out, %wide, %aFrom0, %aFrom1, %bFrom0, %bFrom1;
.reg .b64 %eightRows;
ld.param.u64 %pa, [pa];
ld.param.u64 %pb, [pb];
ld.param.u64 %out, [pc];
ld.param.u32 %depth, [pDepth];
ld.param.u32 %columns, [pColumns];
mov.u32 %thread, %tid.x;
and.b32 %lane, %thread, 31;
shr.u32 %warp, %thread, 5;
mov.u32 %stages, stages;
// A thread copies a piece of rows thread / 4 and 64 + thread / 4.
shr.u32 %row, %thread, 2;
and.b32 %piece, %thread, 3;
shr.u32 %x, %row, 1;
and.b32 %x, %x, 3;
xor.b32 %x, %x, %piece;
shl.b32 %x, %x, 4;
mad.lo.u32 %to, %row, 64, %x;
add.u32 %to, %to, %stages;
mov.u32 %down, %ctaid.y;
mov.u32 %across, %ctaid.x;
mad.lo.u32 %x, %down, 128, %row;
mul.lo.u32 %x, %x, %depth;
mad.lo.u32 %x, %piece, 8, %x;
mul.wide.u32 %wide, %x, 2;
add.s64 %aFrom0, %pa, %wide;
mad.lo.u32 %x, %across, 128, %row;
mul.lo.u32 %x, %x, %depth;
mad.lo.u32 %x, %piece, 8, %x;
mul.wide.u32 %wide, %x, 2;
add.s64 %bFrom0, %pb, %wide;
mul.wide.u32 %wide, %depth, 128;
add.s64 %aFrom1, %aFrom0, %wide;
add.s64 %bFrom1, %bFrom0, %wide;
// Rows of A that a lane names: of 64 by the warp's lowest bit.
and.b32 %x, %warp, 1;
and.b32 %y, %lane, 15;
mad.lo.u32 %y, %x, 64, %y;
shr.u32 %z, %lane, 1;
and.b32 %z, %z, 3;
shr.u32 %x, %lane, 4;
xor.b32 %z, %z, %x;
shl.b32 %z, %z, 4;
mad.lo.u32 %aRow, %y, 64, %z;
// Columns of B: of 32 by the warp's other bits.
shr.u32 %x, %warp, 1;
and.b32 %y, %lane, 7;
shr.u32 %z, %lane, 4;
mad.lo.u32 %y, %z, 8, %y;
mad.lo.u32 %y, %x, 32, %y;
shr.u32 %z, %lane, 1;
and.b32 %z, %z, 3;
shr.u32 %x, %lane, 3;
and.b32 %x, %x, 1;
xor.b32 %z, %z, %x;
shl.b32 %z, %z, 4;
mad.lo.u32 %bRow, %y, 64, %z;
)";
  for (int i = 0; i < 64; ++i)
    text += "mov.f32 %c" + number(i) + ", 0f00000000;\n";
  text += copyStage();
  text += R"(mov.u32 %left, %depth;
mov.u32 %at, %stages;
mov.u32 %step, 16384;
NEXT:
setp.gt.u32 %more, %left, 32;
add.s32 %x, %at, %step;
add.s32 %to, %to, %step;
neg.s32 %step, %step;
@!%more bra LAST;
)";
  text += copyStage();
  text += R"(cp.async.wait_group 1;
bra.uni READY;
LAST:
cp.async.wait_group 0;
READY:
bar.sync 0;
)";
  text += multiplyStage();
  text += R"(bar.sync 0;
mov.u32 %at, %x;
sub.u32 %left, %left, 32;
setp.ne.u32 %again, %left, 0;
@%again bra NEXT;
// The place of a lane's first pair of sums.
and.b32 %x, %warp, 1;
shr.u32 %y, %lane, 2;
mad.lo.u32 %y, %x, 64, %y;
mad.lo.u32 %y, %down, 128, %y;
shr.u32 %x, %warp, 1;
and.b32 %z, %lane, 3;
shl.b32 %z, %z, 1;
mad.lo.u32 %z, %x, 32, %z;
mad.lo.u32 %z, %across, 128, %z;
mad.lo.u32 %y, %y, %columns, %z;
mul.wide.u32 %wide, %y, 4;
add.s64 %out, %out, %wide;
mul.wide.u32 %eightRows, %columns, 32;
)";
  return text + storeSums() + "ret;\n}\n";
}

} // namespace tenon::ptx
