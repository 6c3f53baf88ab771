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

/// A model with a version for CPUs and a device version, which tests change.
struct DeviceModel {
  char text[8] = ".target";
  tenon_image_desc images[2] = {
      {"sm_80", 80, TENON_IMAGE_PTX, 0, 0, text, sizeof text},
      {"sm_90a", 90, TENON_IMAGE_CUBIN, 1, 0, text, 4}};
  tenon_device_kernel_desc kernel = {"add", 1024, 0, 3, 0};
  tenon_device_desc device = {"nvptx", 2, 1, images, &kernel};
  tenon_version_desc versions[2] = {
      {"small", tenon_model_hand.cpu_features, 0, nullptr},
      {"nvptx", tenon_model_hand.cpu_features | TENON_CPU_AVX, 0, &device}};
  tenon_model_desc desc = tenon_model_hand;

  tenon_status open() {
    desc.versions = versions;
    desc.num_versions = 2;
    tenon_model *model;
    tenon_status status = tenon_open_desc(&desc, nullptr, &model);
    tenon_close(model);
    return status;
  }
};

TEST(Descriptor, MalformedDevice) {
  EXPECT_EQ(DeviceModel().open(), TENON_OK);
#define REFUSED(CHANGE)                                                        \
  {                                                                            \
    DeviceModel model;                                                         \
    auto &[text, images, kernel, device, versions, desc] = model;              \
    (void)text, (void)images, (void)kernel, (void)device, (void)versions;      \
    (void)desc;                                                                \
    CHANGE;                                                                    \
    EXPECT_EQ(model.open(), TENON_BAD_ARTIFACT) << #CHANGE;                    \
  }
  REFUSED(device.kind = nullptr);
  REFUSED(device.kind = "");
  REFUSED(device.num_images = 0);
  REFUSED(device.images = nullptr);
  REFUSED(device.num_kernels = -1);
  REFUSED(device.kernels = nullptr);
  REFUSED(images[0].architecture = nullptr);
  REFUSED(images[0].capability = 0);
  REFUSED(images[1].kind = 3);
  REFUSED(images[1].exact = 2);
  REFUSED(images[1].reserved = 1);
  REFUSED(images[1].data = nullptr);
  REFUSED(images[1].bytes = 0);
  REFUSED(images[0].bytes = 0);
  REFUSED(images[0].bytes = 7); // no final zero
  REFUSED(text[2] = 0);         // a zero before the end
  REFUSED(kernel.name = nullptr);
  REFUSED(kernel.name = "");
  REFUSED(kernel.threads = 0);
  REFUSED(kernel.threads = 1025);
  REFUSED(kernel.shared_bytes = -1);
  REFUSED(kernel.num_parameters = 0);
  REFUSED(kernel.num_parameters = TENON_MOST_PARAMETERS + 1);
  REFUSED(kernel.reserved = 1);
  REFUSED(std::swap(versions[0], versions[1])); // versions for CPUs come first
  REFUSED(desc.cpu_features |= TENON_CPU_AVX);
#undef REFUSED
}

} // namespace
