// Tests states whose sizes are context extents: the choice of sizes, the
// layout, and that memory is not touched before a run writes it.
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

using namespace tenon::test;

namespace {

/// Writes its input to the first element of the last row of `cache`.
int32_t mark(tenon_call *call) {
  auto *cache = reinterpret_cast<float *>(static_cast<char *>(call->state) +
                                          call->state_offsets[2]);
  cache[(call->extents[0] - 1) * call->extents[1] * 64] =
      float(*static_cast<const int64_t *>(call->inputs[0]));
  *static_cast<int64_t *>(call->outputs[0]) = call->extents[0];
  return 0;
}

/// The hand-written model with a state of context extents behind its own.
struct Model {
  tenon_model_desc desc = tenon_model_hand;
  tenon_function_desc function;
  tenon_extent_desc extents[2] = {{"rows", 1, 64, 2},
                                  {"positions", 1, INT64_MAX, 16}};
  int64_t dims[3] = {-1, -2, 64}, seen[1] = {-1};
  tenon_state_desc states[4];
  tenon_model *model = nullptr;
  char text[1024] = "";

  Model() {
    std::copy_n(desc.states, 2, states);
    states[2] = {"cache", TENON_F32,       3, dims, TENON_STATE_OPEN,
                 0,       TENON_STATE_ZERO};
    states[3] = {"seen", TENON_BOOL,      1, seen, TENON_STATE_OPEN,
                 0,      TENON_STATE_ZERO};
    for (int32_t i = 0; i < desc.num_functions; ++i)
      if (!strcmp(desc.functions[i].name, "keep"))
        function = desc.functions[i];
    function.run = mark;
    desc.functions = &function;
    desc.num_functions = 1;
    desc.states = states;
    desc.num_states = 4;
    desc.extents = extents;
    desc.num_extents = 2;
    EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
  }
  ~Model() { EXPECT_EQ(tenon_close(model), TENON_OK); }

  tenon_status make(tenon_context *&context, std::vector<tenon_extent> chosen,
                    uint64_t limit = 0) {
    tenon_context_options options = {};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.memory_limit = limit;
    options.extents = chosen.data();
    options.num_extents = chosen.size();
    return tenon_context_create(model, &options, &context);
  }
  std::string refusal(std::vector<tenon_extent> chosen, tenon_status expected) {
    tenon_context *context = nullptr;
    EXPECT_EQ(make(context, std::move(chosen)), expected);
    EXPECT_EQ(context, nullptr);
    return text;
  }
};

tenon_tensor stateOf(tenon_context *context, const char *name) {
  tenon_tensor state = {};
  state.struct_size = sizeof state;
  EXPECT_EQ(tenon_context_find_state(context, name, &state), TENON_OK) << name;
  return state;
}

/// The bytes of the context's states that the system has given memory for.
size_t residentBytes(tenon_context *context) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  auto *data = static_cast<char *>(tenon_context_state(context));
  size_t bytes = tenon_context_state_bytes(context);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % page, 0u);
  std::vector<unsigned char> there((bytes + page - 1) / page);
  EXPECT_EQ(mincore(data, bytes, there.data()), 0);
  return page * size_t(std::count_if(there.begin(), there.end(),
                                     [](unsigned char c) { return c & 1; }));
}

void run(tenon_context *context, int64_t number) {
  tenon_tensor input = {sizeof input, nullptr, TENON_I64, 0,
                        nullptr,      &number, 8,         TENON_ON_HOST};
  tenon_tensor output = ownedOutput();
  EXPECT_EQ(tenon_run(context, nullptr, &input, 1, &output, 1), TENON_OK)
      << tenon_context_text(context);
}

TEST(Extents, DefaultsAndChoices) {
  Model model;
  tenon_context *context;
  ASSERT_EQ(tenon_context_create(model.model, nullptr, &context), TENON_OK);
  int64_t sizes[2];
  ASSERT_EQ(tenon_context_get_extents(context, sizes, 2), TENON_OK);
  EXPECT_EQ(sizes[0], 2);
  EXPECT_EQ(sizes[1], 16);
  // The states without extents end at byte 80, padded to 128.
  EXPECT_EQ(tenon_context_state_bytes(context), 128u + 2 * 16 * 64 * 4 + 2);
  ASSERT_EQ(tenon_context_destroy(context), TENON_OK);

  ASSERT_EQ(model.make(context, {{"positions", 5}, {"rows", 3}}), TENON_OK);
  tenon_tensor cache = stateOf(context, "cache"),
               seen = stateOf(context, "seen");
  EXPECT_EQ(std::vector<int64_t>(cache.dims, cache.dims + cache.rank),
            (std::vector<int64_t>{3, 5, 64}));
  EXPECT_EQ(cache.dtype, TENON_F32);
  EXPECT_EQ(cache.bytes, 3u * 5 * 64 * 4);
  auto *base = static_cast<char *>(tenon_context_state(context));
  EXPECT_EQ(static_cast<char *>(cache.data) - base, 128);
  EXPECT_EQ(static_cast<char *>(seen.data) - base, 128 + 3 * 5 * 64 * 4);
  EXPECT_EQ(seen.dims[0], 3);
  run(context, 7);
  EXPECT_EQ(static_cast<float *>(cache.data)[2 * 5 * 64], 7.0f);
  tenon_tensor none = {};
  none.struct_size = sizeof none;
  EXPECT_EQ(tenon_context_find_state(context, "nothing", &none),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_get_extents(context, sizes, 1), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
}

TEST(Extents, BadChoicesAreNamed) {
  Model model;
  EXPECT_EQ(model.refusal({{"rows", 65}}, TENON_BAD_INPUT),
            "context extent \"rows\": expected 1 to 64, got 65");
  EXPECT_EQ(model.refusal({{"positions", 3}, {"rows", 0}}, TENON_BAD_INPUT),
            "context extent \"rows\": expected 1 to 64, got 0");
  EXPECT_EQ(model.refusal({{"row", 1}}, TENON_BAD_INPUT),
            "no context extent \"row\"\nhelp: the model has rows (1 to 64), "
            "positions (1 to 9223372036854775807)");
  EXPECT_EQ(model.refusal({{nullptr, 1}}, TENON_BAD_INPUT).substr(0, 21),
            "no context extent \"\"\n");
  EXPECT_EQ(model.refusal({{"rows", 1}, {"rows", 1}}, TENON_BAD_INPUT),
            "context extent \"rows\" is given twice");
  Session without;
  tenon_extent chosen = {"rows", 1};
  tenon_context_options options = {};
  options.struct_size = sizeof options;
  options.error_text = model.text;
  options.error_text_bytes = sizeof model.text;
  options.num_extents = 1;
  tenon_context *context;
  EXPECT_EQ(tenon_context_create(without.model, &options, &context),
            TENON_BAD_INPUT);
  EXPECT_STREQ(model.text, "extents is null");
  options.extents = &chosen;
  EXPECT_EQ(tenon_context_create(without.model, &options, &context),
            TENON_BAD_INPUT);
  EXPECT_STREQ(model.text,
               "no context extent \"rows\"\nhelp: the model has none");
  // An older client does not know of extents.
  options.struct_size = offsetof(tenon_context_options, extents);
  ASSERT_EQ(tenon_context_create(without.model, &options, &context), TENON_OK);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
}

/// A state that most contexts do without takes no memory in them.
TEST(Extents, None) {
  Model model;
  model.extents[1].least = 0;
  tenon_context *context;
  ASSERT_EQ(model.make(context, {{"positions", 0}}), TENON_OK);
  tenon_tensor cache = stateOf(context, "cache");
  EXPECT_EQ(cache.bytes, 0u);
  EXPECT_EQ(cache.dims[1], 0);
  EXPECT_EQ(tenon_context_state_bytes(context), 128u + 2);
  EXPECT_EQ(tenon_context_reset_state(context), TENON_OK);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  EXPECT_EQ(model.refusal({{"positions", -1}}, TENON_BAD_INPUT),
            "context extent \"positions\": expected 0 to "
            "9223372036854775807, got -1");
}

TEST(Extents, SizesThatAreTooLarge) {
  Model model;
  for (int64_t positions : {INT64_MAX, INT64_MAX / 4, int64_t(1) << 57})
    EXPECT_EQ(
        model.refusal({{"rows", 64}, {"positions", positions}}, TENON_LIMIT),
        "the state has more than 2^63 bytes\nhelp: choose smaller "
        "context extents");
  std::string text =
      model.refusal({{"positions", int64_t(1) << 45}}, TENON_LIMIT);
  EXPECT_EQ(text.substr(0, 43), "out of memory: the state of the model has 1");
  // The limit counts the chosen sizes.
  tenon_context *context;
  std::vector<tenon_extent> chosen = {{"rows", 1}, {"positions", 1}};
  uint64_t bytes = 128 + 64 * 4 + 1;
  EXPECT_EQ(model.make(context, chosen, bytes - 1), TENON_LIMIT);
  EXPECT_EQ(std::string(model.text),
            "the state alone is larger than memory_limit: it has 385 bytes\n"
            "help: choose smaller context extents");
  ASSERT_EQ(model.make(context, chosen, bytes + 8), TENON_OK);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
}

TEST(Extents, ZerosAreNotTouched) {
  Model model;
  tenon_context *context;
  constexpr int64_t positions = 1 << 16; // 1 GiB for 64 rows
  constexpr size_t hugePage = size_t(2) << 20;
  ASSERT_EQ(model.make(context, {{"rows", 64}, {"positions", positions}}),
            TENON_OK);
  // The states before it have initial values.
  EXPECT_LE(residentBytes(context), hugePage);
  run(context, 3);
  auto *last = static_cast<float *>(stateOf(context, "cache").data) +
               63 * positions * 64;
  EXPECT_EQ(*last, 3.0f);
  EXPECT_LE(residentBytes(context), 2 * hugePage);
  EXPECT_EQ(tenon_context_reset_state(context), TENON_OK);
  EXPECT_LE(residentBytes(context), hugePage);
  EXPECT_EQ(*last, 0.0f);
  EXPECT_EQ(static_cast<float *>(stateOf(context, "row").data)[3], 2.0f);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
}

/// Small states come from the allocator, which may hand out used memory.
TEST(Extents, SmallStatesAreZeroToo) {
  Model model;
  for (int round = 0; round < 3; ++round) {
    tenon_context *context;
    ASSERT_EQ(model.make(context, {}), TENON_OK);
    tenon_tensor cache = stateOf(context, "cache");
    auto *data = static_cast<char *>(cache.data);
    EXPECT_TRUE(std::all_of(data, data + cache.bytes,
                            [](char byte) { return byte == 0; }));
    memset(data, 0x5a, cache.bytes);
    if (round == 1) {
      EXPECT_EQ(tenon_context_reset_state(context), TENON_OK);
      EXPECT_EQ(data[cache.bytes - 1], 0);
    }
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  }
}

TEST(Extents, MalformedTables) {
  auto refused = [](auto change) {
    Model model;
    tenon_model *opened = nullptr;
    change(model);
    return tenon_open_desc(&model.desc, nullptr, &opened) == TENON_BAD_ARTIFACT;
  };
#define REFUSED(CHANGE)                                                        \
  EXPECT_TRUE(refused([](Model &m) { CHANGE; })) << #CHANGE
  REFUSED(m.desc.num_extents = -1);
  REFUSED(m.desc.extents = nullptr);
  REFUSED(m.desc.num_extents = 1); // a dimension refers to the second
  REFUSED(m.extents[0].name = nullptr);
  REFUSED(m.extents[0].least = -1);
  REFUSED(m.extents[0].initial = 65);
  REFUSED(m.extents[1].initial = 0);
  REFUSED(m.dims[0] = -3);
  REFUSED(m.dims[0] = INT64_MIN);
  REFUSED(m.states[2].offset = 128);
  REFUSED(m.states[2].bytes = 64);
  REFUSED(m.states[2].initial = 0);
  REFUSED(m.seen[0] = 2); // a known size behind a chosen one
  REFUSED(m.desc.state_bytes = UINT64_MAX);
#undef REFUSED
}

} // namespace
