// Builds the descriptor. Every struct is an LLVM struct with the fields of the
// C struct in order; its size under the module's data layout is checked against
// C.
#include "compiler/artifact/Descriptor.h"

#include "runtime/seal.h"
#include "runtime/tenon_abi.h"
#include "runtime/tenon_note.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace tenon {

std::string descriptorSymbol(const std::string &stem) {
  return "tenon_model_" + stem;
}
std::string weightsSymbol(const std::string &stem) {
  return "tenon_weights_" + stem;
}

namespace {
class Builder {
public:
  Builder(Module &module, const ModelFacts &facts, const DescriptorFacts &more)
      : module(module), context(module.getContext()), facts(facts), more(more),
        null(ConstantPointerNull::get(PointerType::get(context, 0))) {}

  std::string run() {
    versions = makeVersions();
    makeTables();
    std::vector<Constant *> functions, states;
    for (const StateFacts &state : facts.states)
      states.push_back(makeState(state));
    for (const FunctionFacts &function : facts.functions)
      functions.push_back(makeFunction(function));
    bool embedded = facts.weightBytes > 0 && more.weightFile.empty();
    Constant *desc =
        makeStruct({i64(TENON_ABI_MAGIC),
                    i32(TENON_ABI_VERSION),
                    i32(sizeof(tenon_model_desc)),
                    string(more.stem),
                    string(facts.source),
                    string(compilerName),
                    string(more.target),
                    i64(more.versions.back().cpuFeatures),
                    i64(facts.weightBytes),
                    i64(0),
                    embedded ? weights() : null,
                    more.weightFile.empty() ? null : string(more.weightFile),
                    i32(facts.functions.size()),
                    i32(facts.states.size()),
                    table("functions", functions),
                    table("states", states),
                    i64(facts.stateBytes),
                    versions,
                    i32(more.versions.size()),
                    i32(facts.contextExtents.size()),
                    makeContextExtents()},
                   sizeof(tenon_model_desc));
    auto *global = new GlobalVariable(module, desc->getType(), true,
                                      GlobalValue::ExternalLinkage, desc,
                                      descriptorSymbol(more.stem));
    global->setAlignment(Align(64));
    if (more.program)
      new GlobalVariable(module, global->getType(), true,
                         GlobalValue::ExternalLinkage, global,
                         "tenon_artifact_model");
    if (more.note)
      addNote();
    return problem;
  }

private:
  Constant *i32(int64_t value) {
    return ConstantInt::getSigned(Type::getInt32Ty(context), value);
  }
  Constant *i64(uint64_t value) {
    return ConstantInt::get(Type::getInt64Ty(context), value);
  }

  /// A global string; equal strings share one global.
  Constant *string(StringRef text) {
    Constant *&known = strings[text];
    if (known)
      return known;
    // A C string ends at the first NUL, and a name from a file may contain one.
    Constant *bytes = ConstantDataArray::getString(
        context, text.take_until([](char c) { return c == 0; }));
    auto *global =
        new GlobalVariable(module, bytes->getType(), true,
                           GlobalValue::PrivateLinkage, bytes, "tenon.text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setAlignment(Align(1));
    return known = global;
  }

  /// A global of bytes, aligned as the driver likes ELF files.
  Constant *blob(StringRef bytes) {
    Constant *value = ConstantDataArray::getString(context, bytes,
                                                   /*AddNull=*/false);
    auto *global =
        new GlobalVariable(module, value->getType(), true,
                           GlobalValue::InternalLinkage, value, "tenon.cubin");
    global->setAlignment(Align(64));
    return global;
  }

  Constant *makeStruct(ArrayRef<Constant *> fields, size_t bytes) {
    Constant *value = ConstantStruct::getAnon(context, fields);
    if (module.getDataLayout().getTypeAllocSize(value->getType()) != bytes)
      problem = "a table of the descriptor has another size than in C";
    return value;
  }

  Constant *table(StringRef name, ArrayRef<Constant *> rows) {
    if (rows.empty())
      return null;
    auto *type = ArrayType::get(rows[0]->getType(), rows.size());
    return new GlobalVariable(module, type, true, GlobalValue::InternalLinkage,
                              ConstantArray::get(type, rows), "tenon." + name);
  }

  Constant *makeTensor(const TensorFacts &tensor) {
    std::vector<Constant *> dims;
    for (const DimFacts &dim : tensor.dims)
      dims.push_back(makeStruct({i64(dim.size), i64(dim.min), i64(dim.max),
                                 i64(dim.multiple), string(dim.name)},
                                sizeof(tenon_dim_desc)));
    return makeStruct(
        {string(tensor.name), i32(tensor.dtype), i32(tensor.dims.size()),
         table("dims", dims), i32(tensor.bounded),
         i32((tensor.defaultValue ? TENON_INPUT_OPTIONAL : 0) |
             (tensor.bounds ? TENON_INPUT_RANGE : 0) |
             (tensor.isReadByHost ? TENON_INPUT_HOST : 0)),
         defaultDims(tensor), defaultData(tensor),
         i64(tensor.defaultValue ? tensor.defaultValue->bytes.size() : 0),
         i64(tensor.bounds ? tensor.bounds->least.integer : 0),
         i64(tensor.bounds ? tensor.bounds->greatest.integer : 0)},
        sizeof(tenon_tensor_desc));
  }

  Constant *defaultDims(const TensorFacts &tensor) {
    std::vector<Constant *> dims;
    if (tensor.defaultValue)
      for (int64_t dim : tensor.defaultValue->dims)
        dims.push_back(i64(dim));
    return table("default_dims", dims);
  }

  Constant *defaultData(const TensorFacts &tensor) {
    if (!tensor.defaultValue || tensor.defaultValue->bytes.empty())
      return null;
    const std::vector<char> &bytes = tensor.defaultValue->bytes;
    if (bytes.size() > TENON_MAX_DEFAULT_BYTES)
      problem = "the default of '" + tensor.name + "' is too large";
    Constant *value = ConstantDataArray::get(
        context, ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()),
                          bytes.size()));
    auto *global = new GlobalVariable(module, value->getType(), true,
                                      GlobalValue::InternalLinkage, value,
                                      "tenon.default");
    global->setAlignment(Align(TENON_DEFAULT_ALIGNMENT));
    return global;
  }

  Constant *tensors(StringRef name, const std::vector<TensorFacts> &list) {
    std::vector<Constant *> rows;
    for (const TensorFacts &tensor : list)
      rows.push_back(makeTensor(tensor));
    return table(name, rows);
  }

  /// The function `name` of the code. If there are several versions, a function
  /// that calls `name` of the chosen version.
  Constant *entry(const std::string &name) {
    std::vector<Function *> codes;
    for (const VersionFacts &version : more.versions) {
      codes.push_back(module.getFunction(version.prefix + name));
      if (!codes.back()) {
        problem = "there is no function '" + version.prefix + name + "'";
        return null;
      }
    }
    return codes.size() == 1 ? codes[0] : makeChoice(name, codes);
  }

  Function *makeChoice(const std::string &name, ArrayRef<Function *> codes) {
    Function *choice =
        Function::Create(codes[0]->getFunctionType(),
                         GlobalValue::InternalLinkage, name, module);
    auto block = [&] { return BasicBlock::Create(context, "", choice); };
    IRBuilder<> builder(block());
    Type *number = builder.getInt32Ty(), *pointer = builder.getPtrTy();
    FunctionCallee find = module.getOrInsertFunction(
        "tenon_core_version", number, pointer, pointer, number);
    Value *call = choice->getArg(0);
    Value *version =
        builder.CreateCall(find, {call, versions, i32(codes.size())});
    BasicBlock *none = block();
    SwitchInst *branch = builder.CreateSwitch(version, none, codes.size());
    builder.SetInsertPoint(none);
    builder.CreateRet(i32(1));
    for (auto [i, code] : enumerate(codes)) {
      builder.SetInsertPoint(block());
      branch->addCase(builder.getInt32(i + 1), builder.GetInsertBlock());
      CallInst *chosen = builder.CreateCall(code, {call});
      // Not inlined: a version's stack frame must not be set up before it is
      // chosen.
      chosen->setIsNoInline();
      chosen->setTailCall();
      builder.CreateRet(chosen);
    }
    return choice;
  }

  Constant *makeState(const StateFacts &state) {
    std::vector<Constant *> dims;
    for (int64_t dim : state.dims)
      dims.push_back(i64(dim));
    return makeStruct(
        {string(state.name), i32(state.dtype), i32(state.dims.size()),
         table("state_dims", dims),
         i64(state.offset < 0 ? TENON_STATE_OPEN : uint64_t(state.offset)),
         i64(state.bytes()),
         i64(state.initial < 0 ? TENON_STATE_ZERO : uint64_t(state.initial))},
        sizeof(tenon_state_desc));
  }

  Constant *makeContextExtents() {
    std::vector<Constant *> rows;
    for (const ContextExtentFacts &extent : facts.contextExtents)
      rows.push_back(makeStruct({string(extent.name), i64(extent.least),
                                 i64(extent.most), i64(extent.initial)},
                                sizeof(tenon_extent_desc)));
    return table("context_extents", rows);
  }

  /// Builds the tables that all functions share: sites, kernels and launches
  /// have one numbering for the whole module.
  void makeTables() {
    std::vector<Constant *> siteRows, kernelRows, launchRows;
    for (const std::string &site : more.sites)
      siteRows.push_back(string(site));
    for (const KernelFacts &kernel : more.kernels)
      kernelRows.push_back(
          makeStruct({string(kernel.name), string(kernel.nodes)},
                     sizeof(tenon_kernel_desc)));
    for (const LaunchFacts &launch : more.launches)
      launchRows.push_back(
          makeStruct({string(launch.nodes), i32(launch.kernel), i32(0)},
                     sizeof(tenon_launch_desc)));
    sites = table("sites", siteRows);
    kernels = table("kernels", kernelRows);
    launches = table("launches", launchRows);
  }

  Constant *makeFunction(const FunctionFacts &function) {
    return makeStruct({string(function.name), i32(function.inputs.size()),
                       i32(function.outputs.size()),
                       tensors("inputs", function.inputs),
                       tensors("outputs", function.outputs),
                       entry(function.name + ".plan_entry"),
                       entry(function.name + ".run_entry"),
                       i32(more.sites.size()), i32(more.kernels.size()), sites,
                       kernels, launches, i32(more.launches.size()),
                       i32(function.variants.size()), makeVariants(function)},
                      sizeof(tenon_function_desc));
  }

  Constant *makeVariants(const FunctionFacts &function) {
    std::vector<Constant *> rows;
    for (const VariantFacts &variant : function.variants) {
      std::vector<Constant *> sizes;
      for (const auto &[dim, size] : variant.sizes)
        sizes.push_back(
            makeStruct({string(dim), i64(size)}, sizeof(tenon_size_desc)));
      rows.push_back(makeStruct({string(variant.name()), table("sizes", sizes),
                                 i32(variant.sizes.size()), i32(0)},
                                sizeof(tenon_variant_desc)));
    }
    return table("variants", rows);
  }

  Constant *makeVersions() {
    std::vector<Constant *> rows;
    for (const VersionFacts &version : more.versions)
      rows.push_back(
          makeStruct({string(version.name), i64(version.cpuFeatures), i64(0),
                      version.hasDevice ? makeDevice(*more.device) : null},
                     sizeof(tenon_version_desc)));
    return table("versions", rows);
  }

  Constant *makeDevice(const DeviceCode &device) {
    std::vector<Constant *> images, kernels;
    auto add = [&](const DeviceArchitecture &architecture,
                   tenon_image_kind kind, Constant *data, size_t bytes) {
      images.push_back(makeStruct(
          {string(architecture.name), i32(architecture.capability), i32(kind),
           i32(architecture.exact), i32(0), data, i64(bytes)},
          sizeof(tenon_image_desc)));
    };
    for (const DeviceImage &image : device.images) {
      add(image.architecture, TENON_IMAGE_PTX, string(image.text),
          image.text.size() + 1);
      if (!image.cubin.empty())
        add(image.architecture, TENON_IMAGE_CUBIN, blob(image.cubin),
            image.cubin.size());
    }
    for (const DeviceEntry &entry : device.entries)
      kernels.push_back(makeStruct({string(entry.name), i32(entry.threads),
                                    i32(0), i32(entry.parameters), i32(0)},
                                   sizeof(tenon_device_kernel_desc)));
    return table(
        "device",
        {makeStruct({string("nvptx"), i32(images.size()), i32(kernels.size()),
                     table("images", images), table("device_kernels", kernels)},
                    sizeof(tenon_device_desc))});
  }

  Constant *weights() {
    auto *global = new GlobalVariable(
        module, ArrayType::get(Type::getInt8Ty(context), facts.weightBytes),
        true, GlobalValue::ExternalLinkage, nullptr, weightsSymbol(more.stem));
    global->setVisibility(GlobalValue::HiddenVisibility);
    global->setAlignment(Align(TENON_WEIGHT_ALIGNMENT));
    return global;
  }

  void addNote() {
    std::string symbol = descriptorSymbol(more.stem);
    auto make = [&](unsigned char *to, size_t room) {
      return tenon_make_note(to, room, more.versions.back().cpuFeatures,
                             facts.sourceHash, compilerName, symbol.c_str());
    };
    std::vector<unsigned char> bytes(make(nullptr, 0));
    if (bytes.empty()) {
      problem = "the name '" + symbol + "' is too long";
      return;
    }
    make(bytes.data(), bytes.size());
    Constant *value = ConstantDataArray::get(context, bytes);
    auto *global =
        new GlobalVariable(module, value->getType(), true,
                           GlobalValue::InternalLinkage, value, "tenon.note");
    global->setSection(TENON_NOTE_SECTION);
    global->setAlignment(Align(4));
    appendToUsed(module, {global});
  }

  Module &module;
  LLVMContext &context;
  const ModelFacts &facts;
  const DescriptorFacts &more;
  Constant *null;
  Constant *versions = nullptr, *sites = nullptr, *kernels = nullptr,
           *launches = nullptr;
  StringMap<Constant *> strings;
  std::string problem;
};
} // namespace

std::string addDescriptor(Module &module, const ModelFacts &facts,
                          const DescriptorFacts &more) {
  return Builder(module, facts, more).run();
}

} // namespace tenon
