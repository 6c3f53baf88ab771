/* Decodes an AMX instruction from its bytes and the thread's registers, and
 * runs it on tiles. An unknown instruction kills the process, as it would
 * without the handler. */
#include "test/amx/amx_emulator.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/detect.h"
#include "test/amx/amx_tiles.h"

/* Initial-exec storage: a handler must not allocate. */
static _Thread_local struct amx_tiles tiles
    __attribute__((tls_model("initial-exec")));

/* A VEX instruction of map 0F38 with a three-byte prefix. */
struct instruction {
  unsigned opcode, prefix; /* prefix: 0 none, 1 66, 2 F3, 3 F2 */
  unsigned mod, reg, rm;   /* with the fourth bits of reg and rm */
  unsigned extra;          /* the register encoded in the prefix */
  int has_sib;
  char *base;     /* base register and displacement */
  int64_t stride; /* index register times scale; 0: none */
  int64_t length;
};

static int64_t value_of(const ucontext_t *context, unsigned number) {
  static const int places[16] = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return context->uc_mcontext.gregs[places[number]];
}

/* Reads the memory operand that starts at `at`, behind the ModRM byte. */
static const uint8_t *decode_address(const ucontext_t *context,
                                     const uint8_t *at, unsigned low_rm,
                                     unsigned high_index, unsigned high_base,
                                     struct instruction *found) {
  int64_t base = 0;
  int wide = found->mod == 2;
  found->has_sib = low_rm == 4;
  if (found->has_sib) {
    unsigned sib = *at++, index = (sib >> 3 & 7) | high_index;
    if (index != 4)
      found->stride = value_of(context, index) << (sib >> 6);
    if ((sib & 7) == 5 && found->mod == 0)
      wide = 1;
    else
      base = value_of(context, (sib & 7) | high_base);
  } else if (low_rm == 5 && found->mod == 0) { /* rip-relative */
    wide = 1;
    base = (int64_t)(intptr_t)at + 4;
  } else {
    base = value_of(context, found->rm);
  }
  if (wide) {
    int32_t displacement;
    memcpy(&displacement, at, sizeof displacement);
    base += displacement;
    at += 4;
  } else if (found->mod == 1) {
    base += (int8_t)*at++;
  }
  found->base = (char *)(intptr_t)base;
  return at;
}

/* Zero if the instruction does not have the form that all AMX instructions
 * have. */
static int decode(const ucontext_t *context, struct instruction *found) {
  const uint8_t *start =
      (const uint8_t *)(intptr_t)context->uc_mcontext.gregs[REG_RIP];
  memset(found, 0, sizeof *found);
  if (start[0] != 0xc4 || (start[1] & 0x1f) != 2 || (start[2] & 0x84) != 0)
    return 0;
  unsigned high_reg = start[1] & 0x80 ? 0 : 8,
           high_index = start[1] & 0x40 ? 0 : 8,
           high_base = start[1] & 0x20 ? 0 : 8, modrm = start[4];
  found->extra = ~(unsigned)start[2] >> 3 & 15;
  found->prefix = start[2] & 3;
  found->opcode = start[3];
  found->mod = modrm >> 6;
  found->reg = (modrm >> 3 & 7) | high_reg;
  found->rm = (modrm & 7) | high_base;
  const uint8_t *at = start + 5;
  if (found->mod != 3)
    at = decode_address(context, at, modrm & 7, high_index, high_base, found);
  found->length = at - start;
  return 1;
}

/* Opcode 49: tile configuration and tilezero. */
static enum amx_outcome configure(const struct instruction *i) {
  if (i->extra != 0)
    return AMX_UNDEFINED;
  char *memory = i->base + i->stride;
  if (i->mod == 3 && i->prefix == 3 && i->rm == 0)
    return amx_zero(&tiles, i->reg);
  if (i->reg != 0)
    return AMX_UNDEFINED;
  if (i->mod != 3 && i->prefix == 0)
    return amx_configure(&tiles, memory);
  if (i->mod != 3 && i->prefix == 1) {
    memcpy(memory, &tiles.config, sizeof tiles.config);
    return AMX_DONE;
  }
  if (i->mod == 3 && i->prefix == 0 && i->rm == 0) {
    memset(&tiles, 0, sizeof tiles);
    return AMX_DONE;
  }
  return AMX_UNDEFINED;
}

/* Opcode 4B: loads and stores of tiles. */
static enum amx_outcome move(const struct instruction *i) {
  if (!i->has_sib || i->extra != 0 || i->prefix == 0)
    return AMX_UNDEFINED;
  return i->prefix == 2 ? amx_store(&tiles, i->reg, i->base, i->stride)
                        : amx_load(&tiles, i->reg, i->base, i->stride);
}

static enum amx_outcome execute(const struct instruction *i) {
  static const enum amx_product bytes[] = {AMX_U8U8, AMX_U8S8, AMX_S8U8,
                                           AMX_S8S8};
  switch (i->opcode) {
  case 0x49:
    return configure(i);
  case 0x4b:
    return move(i);
  case 0x5c:
    return i->mod == 3 && i->prefix == 2
               ? amx_multiply(&tiles, AMX_BF16, i->reg, i->rm, i->extra)
               : AMX_UNDEFINED;
  case 0x5e:
    return i->mod == 3
               ? amx_multiply(&tiles, bytes[i->prefix], i->reg, i->rm, i->extra)
               : AMX_UNDEFINED;
  default:
    return AMX_UNDEFINED;
  }
}

static void handle(int number, siginfo_t *info, void *opaque) {
  (void)info;
  ucontext_t *context = opaque;
  struct instruction found;
  enum amx_outcome outcome =
      decode(context, &found) ? execute(&found) : AMX_UNDEFINED;
  if (outcome == AMX_DONE) {
    context->uc_mcontext.gregs[REG_RIP] += found.length;
    return;
  }
  if (outcome == AMX_REFUSED) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  signal(number, SIG_DFL); /* runs again: kills the process */
}

int amx_start(void) {
  uint64_t needed = TENON_CPU_AMX_TILE | TENON_CPU_AMX_BF16;
  if (tenon_can_run(needed, tenon_detect_features()))
    return 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
  return 1;
}
