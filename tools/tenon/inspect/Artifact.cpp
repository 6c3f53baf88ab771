// Reads the descriptor of an artifact.
#include "tools/tenon/inspect/Artifact.h"

#include "compiler/report/NumberText.h"
#include "tools/tenon/inspect/Fields.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;

namespace tenon::cli {

static std::string dimText(const tenon_dim_desc &dim) {
  if (dim.size >= 0)
    return std::to_string(dim.size);
  std::string text = dim.name && *dim.name ? dim.name : "?";
  if (dim.min > 0 || dim.max != INT64_MAX)
    text += "=" + std::to_string(dim.min) + ".." +
            (dim.max == INT64_MAX ? "" : std::to_string(dim.max));
  if (dim.multiple > 1)
    text += ":" + std::to_string(dim.multiple);
  return text;
}

/// The default of an input as nested lists.
static std::string defaultText(const tenon_tensor_desc &input) {
  Tensor value;
  value.dtype = input.dtype;
  value.dims.assign(input.default_dims, input.default_dims + input.rank);
  auto *data = static_cast<const uint8_t *>(input.default_data);
  value.bytes.assign(data, data + input.default_bytes);
  return listText(value.dims, [&](int64_t i) { return elementText(value, i); });
}

static std::vector<TensorSummary> summaries(const tenon_tensor_desc *tensors,
                                            int32_t count) {
  std::vector<TensorSummary> result;
  for (int32_t i = 0; i < count; ++i) {
    TensorSummary summary{
        tensors[i].name, tenon_dtype_name(tensors[i].dtype), {}};
    for (int32_t d = 0; d < tensors[i].rank; ++d)
      summary.dims.push_back(dimText(tensors[i].dims[d]));
    if (tensors[i].flags & TENON_INPUT_OPTIONAL)
      summary.defaultValue = defaultText(tensors[i]);
    if (tensors[i].flags & TENON_INPUT_RANGE) {
      summary.least = numberText(tensors[i].least, tensors[i].dtype);
      summary.greatest = numberText(tensors[i].greatest, tensors[i].dtype);
    }
    result.push_back(std::move(summary));
  }
  return result;
}

static std::vector<std::string> featureNames(uint64_t features) {
  std::vector<std::string> names;
  for (int bit = 0; bit < 64; ++bit)
    if (features >> bit & 1) {
      const char *name = tenon_cpu_feature_name(uint64_t(1) << bit);
      names.push_back(name ? name : "bit " + std::to_string(bit));
    }
  return names;
}

static llvm::ArrayRef<tenon_function_desc>
functionsOf(const tenon_model_desc &desc) {
  return {desc.functions, size_t(desc.num_functions)};
}

static std::vector<TensorSummary> statesOf(const tenon_model_desc &desc) {
  std::vector<TensorSummary> result;
  for (int32_t i = 0; i < desc.num_states; ++i) {
    const tenon_state_desc &state = desc.states[i];
    TensorSummary summary{state.name, tenon_dtype_name(state.dtype), {}};
    for (int32_t d = 0; d < state.rank; ++d)
      summary.dims.push_back(state.dims[d] < 0
                                 ? desc.extents[-1 - state.dims[d]].name
                                 : std::to_string(state.dims[d]));
    result.push_back(std::move(summary));
  }
  return result;
}

static llvm::ArrayRef<tenon_extent_desc>
extentsOf(const tenon_model_desc &desc) {
  return {desc.extents, size_t(desc.num_extents)};
}

/// Prints the extents that a context chooses.
static void printExtents(const tenon_model_desc &desc) {
  const char *heading = "context";
  for (const tenon_extent_desc &extent : extentsOf(desc)) {
    printField(heading,
               llvm::formatv("{0}={1}..{2}, default {3}", extent.name,
                             extent.least, extent.most, extent.initial));
    heading = "";
  }
}

static llvm::ArrayRef<tenon_version_desc>
versionsOf(const tenon_model_desc &desc) {
  return {desc.versions, size_t(desc.num_versions)};
}

static bool runsOnDevice(const tenon_version_desc &version) {
  return version.device;
}

static llvm::ArrayRef<tenon_image_desc>
imagesOf(const tenon_device_desc &device) {
  return {device.images, size_t(device.num_images)};
}

static llvm::ArrayRef<tenon_device_kernel_desc>
kernelsOf(const tenon_device_desc &device) {
  return {device.kernels, size_t(device.num_kernels)};
}

static const char *kindOf(const tenon_image_desc &image) {
  return image.kind == TENON_IMAGE_PTX ? "ptx" : "cubin";
}

/// Prints each version's code size, the features that it needs beyond the last
/// version, and the images of a device's kernels.
static void printVersions(const tenon_model_desc &desc) {
  // The code size is unknown if the artifact came from assembly.
  auto sizeOf = [](const tenon_version_desc &version) {
    return version.code_bytes ? formatBytes(version.code_bytes)
                              : std::string("of unknown size");
  };
  if (desc.num_versions == 1 && !runsOnDevice(desc.versions[0]))
    return printField("code", sizeOf(desc.versions[0]));
  size_t width = 0;
  for (const tenon_version_desc &version : versionsOf(desc))
    width = std::max(width, strlen(version.name));
  const char *heading = "versions";
  for (const tenon_version_desc &version : versionsOf(desc)) {
    std::string text = version.name;
    text.resize(width + 2, ' ');
    text += sizeOf(version);
    if (runsOnDevice(version))
      text += " beside the device";
    if (uint64_t further = version.cpu_features & ~desc.cpu_features)
      text += ", needs also " + llvm::join(featureNames(further), " ");
    printField(heading, text);
    heading = "";
    if (runsOnDevice(version))
      for (const tenon_image_desc &image : imagesOf(*version.device))
        printField("", std::string(width + 2, ' ') + image.architecture + "  " +
                           formatBytes(image.bytes) + " of " + kindOf(image));
  }
}

/// Prints the kernels of each device version.
static void printDeviceKernels(const tenon_model_desc &desc) {
  for (const tenon_version_desc &version : versionsOf(desc)) {
    if (!runsOnDevice(version))
      continue;
    const char *heading = version.name;
    for (const tenon_device_kernel_desc &kernel : kernelsOf(*version.device)) {
      std::string text = std::string(kernel.name) + "   " +
                         std::to_string(kernel.threads) + " threads";
      if (kernel.shared_bytes)
        text += ", " + formatBytes(kernel.shared_bytes) + " shared";
      printField(heading, text);
      heading = "";
    }
  }
}

static Object deviceAsJson(const tenon_device_desc &device) {
  Array images, kernels;
  for (const tenon_image_desc &image : imagesOf(device))
    images.push_back(Object{{"architecture", fixUTF8(image.architecture)},
                            {"capability", image.capability},
                            {"exact", image.exact != 0},
                            {"kind", kindOf(image)},
                            {"bytes", int64_t(image.bytes)}});
  for (const tenon_device_kernel_desc &kernel : kernelsOf(device))
    kernels.push_back(Object{{"name", fixUTF8(kernel.name)},
                             {"threads", kernel.threads},
                             {"shared_bytes", kernel.shared_bytes}});
  return Object{{"kind", fixUTF8(device.kind)},
                {"images", std::move(images)},
                {"kernels", std::move(kernels)}};
}

static Array versionsAsJson(const tenon_model_desc &desc) {
  Array versions;
  for (const tenon_version_desc &version : versionsOf(desc)) {
    Object object{{"name", fixUTF8(version.name)},
                  {"cpu_features", Array(featureNames(version.cpu_features))}};
    if (version.code_bytes)
      object["code_bytes"] = int64_t(version.code_bytes);
    if (runsOnDevice(version))
      object["device"] = deviceAsJson(*version.device);
    versions.push_back(std::move(object));
  }
  return versions;
}

Object artifactAsJson(const LoadedModel &model) {
  const tenon_model_desc &desc = model.getDesc();
  const tenon_function_desc &function = desc.functions[0];
  Array kernels;
  for (int32_t i = 0; i < function.num_kernels; ++i) {
    Array names;
    for (const std::string &node : nodesOf(function.kernels[i]))
      names.push_back(fixUTF8(node));
    kernels.push_back(Object{{"name", fixUTF8(function.kernels[i].name)},
                             {"nodes", std::move(names)}});
  }
  Array variants;
  for (int32_t i = 0; i < function.num_variants; ++i)
    variants.push_back(fixUTF8(function.variants[i].name));
  Array extents;
  for (const tenon_extent_desc &extent : extentsOf(desc))
    extents.push_back(Object{{"name", fixUTF8(extent.name)},
                             {"least", extent.least},
                             {"most", extent.most},
                             {"default", extent.initial}});
  Array functions;
  for (const tenon_function_desc &each : functionsOf(desc))
    functions.push_back(Object{
        {"name", fixUTF8(each.name)},
        {"inputs", tensorsAsJson(summaries(each.inputs, each.num_inputs))},
        {"outputs", tensorsAsJson(summaries(each.outputs, each.num_outputs))}});
  return Object{
      {"schema", 1},
      {"kind", "artifact"},
      {"name", fixUTF8(desc.name)},
      {"source", fixUTF8(desc.source)},
      {"compiler", desc.compiler},
      {"abi", int64_t(desc.abi_version)},
      {"target", desc.target},
      {"cpu_features", Array(featureNames(desc.cpu_features))},
      {"versions", versionsAsJson(desc)},
      {"inputs",
       tensorsAsJson(summaries(function.inputs, function.num_inputs))},
      {"outputs",
       tensorsAsJson(summaries(function.outputs, function.num_outputs))},
      {"variants", std::move(variants)},
      {"functions", std::move(functions)},
      {"context_extents", std::move(extents)},
      {"states", tensorsAsJson(statesOf(desc))},
      {"state_bytes", int64_t(desc.state_bytes)},
      {"weight_bytes", int64_t(desc.weight_bytes)},
      {"weight_file", desc.weight_file
                          ? llvm::json::Value(fixUTF8(desc.weight_file))
                          : llvm::json::Value(nullptr)},
      {"kernels", std::move(kernels)}};
}

void printArtifact(const LoadedModel &model, bool ops) {
  const tenon_model_desc &desc = model.getDesc();
  const tenon_function_desc &function = desc.functions[0];
  printField("model", std::string(desc.name) + "   from " + desc.source);
  printField("compiler", std::string(desc.compiler) + ", runtime ABI " +
                             std::to_string(desc.abi_version));
  printField("target", desc.target);
  printField("needs", llvm::join(featureNames(desc.cpu_features), " "));
  printVersions(desc);
  for (const tenon_function_desc &each : functionsOf(desc)) {
    printField("function", each.name);
    printTensors("inputs", summaries(each.inputs, each.num_inputs));
    printTensors("outputs", summaries(each.outputs, each.num_outputs));
    for (int32_t i = 0; i < each.num_variants; ++i)
      printField(i == 0 ? "variants" : "", each.variants[i].name);
  }
  printExtents(desc);
  printTensors("states", statesOf(desc));
  if (desc.weight_bytes > 0)
    printField("weights",
               formatBytes(desc.weight_bytes) +
                   (desc.weight_file ? std::string(" in ") + desc.weight_file
                                     : std::string(" embedded")));
  printField("kernels", std::to_string(function.num_kernels));
  for (int32_t i = 0; ops && i < function.num_kernels; ++i) {
    printField("", std::string(function.kernels[i].name) + "   " +
                       llvm::join(nodesOf(function.kernels[i]), ", "));
  }
  if (ops)
    printDeviceKernels(desc);
}

} // namespace tenon::cli
