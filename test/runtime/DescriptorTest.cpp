// Tests that inconsistent descriptors are refused.
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

using namespace tenon::test;

namespace {

TEST(Descriptor, Malformed) {
  auto refused = [](auto change) {
    tenon_model_desc desc = tenon_model_hand;
    tenon_function_desc function = desc.functions[0];
    tenon_tensor_desc tensor = function.inputs[0];
    tenon_dim_desc dims[2] = {tensor.dims[0], tensor.dims[1]};
    tensor.dims = dims;
    function.inputs = &tensor;
    function.num_inputs = 1;
    desc.functions = &function;
    desc.num_functions = 1;
    tenon_state_desc states[2] = {desc.states[0], desc.states[1]};
    desc.states = states;
    tenon_model *model;
    EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
    tenon_close(model);
    change(desc, function, tensor, dims, states);
    return tenon_open_desc(&desc, nullptr, &model) == TENON_BAD_ARTIFACT;
  };
#define REFUSED(CHANGE)                                                        \
  EXPECT_TRUE(refused([](tenon_model_desc &desc, tenon_function_desc &f,       \
                         tenon_tensor_desc &t, tenon_dim_desc *dims,           \
                         tenon_state_desc *states) {                           \
    (void)desc, (void)f, (void)t, (void)dims, (void)states;                    \
    CHANGE;                                                                    \
  })) << #CHANGE
  REFUSED(desc.magic ^= 1);
  REFUSED(desc.struct_size = 8);
  REFUSED(desc.num_functions = 0);
  REFUSED(desc.functions = nullptr);
  REFUSED(desc.name = nullptr);
  REFUSED(f.plan = nullptr);
  REFUSED(f.run = nullptr);
  REFUSED(f.num_inputs = -1);
  REFUSED(f.inputs = nullptr);
  REFUSED(f.num_sites = 3; f.sites = nullptr);
  REFUSED(f.num_kernels = 1; f.kernels = nullptr);
  REFUSED(f.num_launches = 1; f.launches = nullptr);
  REFUSED(f.num_variants = -1);
  REFUSED(f.num_variants = 1; f.variants = nullptr);
  REFUSED(static const tenon_variant_desc none = {}; f.variants = &none);
  REFUSED(t.dtype = 99);
  REFUSED(t.rank = 65);
  REFUSED(t.rank = -1);
  REFUSED(t.dims = nullptr);
  REFUSED(t.name = nullptr);
  REFUSED(dims[0].multiple = 0);
  REFUSED(dims[0].min = 9);
  REFUSED(dims[0].min = -1);
  REFUSED(dims[0].size = -2);
  REFUSED(dims[1].max = 5);
  REFUSED(dims[1].name = nullptr);
  REFUSED(desc.num_versions = 0);
  REFUSED(desc.versions = nullptr);
  REFUSED(desc.num_versions = 1); // the last one needs more than the model says
  REFUSED(static const tenon_version_desc none = {}; desc.versions = &none);
  REFUSED(desc.num_states = -1);
  REFUSED(desc.states = nullptr);
  REFUSED(desc.state_bytes = 79);
  REFUSED(states[0].name = nullptr);
  REFUSED(states[0].dtype = 0);
  REFUSED(states[0].rank = 65);
  REFUSED(states[0].bytes = 4);
  REFUSED(states[1].dims = nullptr);
  REFUSED(states[1].offset = 72);
  REFUSED(states[1].offset = 0);
  REFUSED(states[1].offset = UINT64_MAX - 63);
  REFUSED(states[1].initial = 1);
  REFUSED(states[1].initial = UINT64_MAX - 1);
  REFUSED(desc.weights = nullptr);
  REFUSED(desc.weights = nullptr; desc.weight_file = "../x");
#undef REFUSED
}

} // namespace
