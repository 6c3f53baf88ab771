// Gives inputs their values in four passes. Data come first, because they may
// fix extents. Defaults of inputs that no flag names come next. Then fills,
// because they need every extent. An input that is still open is filled too, or
// refused with the flag to type.
#include "tools/tenon/InputValues.h"

#include "tools/tenon/Literals.h"
#include "tools/tenon/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

std::vector<InputSignature> signatureOf(const tenon_function_desc &function) {
  std::vector<InputSignature> inputs;
  for (int32_t i = 0; i < function.num_inputs; ++i) {
    const tenon_tensor_desc &desc = function.inputs[i];
    InputSignature input{desc.name, desc.dtype, {}, &desc};
    for (int32_t d = 0; d < desc.rank; ++d)
      input.dims.push_back(
          {desc.dims[d].size, desc.dims[d].name ? desc.dims[d].name : ""});
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// The name that TensorFlow gives the first result of the node `name`.
static std::string firstResult(const std::string &name) { return name + ":0"; }

std::pair<std::string, std::string>
splitName(const std::string &text, const std::vector<std::string> &names) {
  const std::string *best = nullptr;
  size_t written = 0;
  auto consider = [&](const std::string &name, const std::string &spelling) {
    if (!llvm::StringRef(text).starts_with(spelling + "=") ||
        (best && spelling.size() <= written))
      return;
    best = &name;
    written = spelling.size();
  };
  for (const std::string &name : names)
    consider(name, name);
  for (const std::string &name : names)
    consider(name, firstResult(name));
  if (!best)
    return {"", text};
  return {*best, text.substr(written + 1)};
}

namespace {
/// The values zeros, ones or random:SEED.
struct Fill {
  enum Kind { Zeros, Ones, Random } kind = Zeros;
  uint64_t seed = 1;
};

/// A stream of pseudorandom bits from a seed (splitmix64).
class Bits {
public:
  explicit Bits(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

class Reader {
public:
  Reader(Invocation &call, const std::vector<InputSignature> &inputs,
         std::map<std::string, int64_t> sizes, std::vector<Tensor> &values)
      : call(call), inputs(inputs), sizes(std::move(sizes)), values(values),
        given(inputs.size()), fills(inputs.size()) {
    values.assign(inputs.size(), {});
    for (const InputSignature &input : inputs)
      names.push_back(input.name);
  }

  Status read(OpenInputs open);

private:
  Status checkSizes();
  Status readFlag(const std::string &text);
  Status readFiles(const std::string &path);
  Status readValue(const std::string &name, const std::string &value);
  Status readTypedLiteral(const std::string &text, Tensor &tensor);
  Status give(const std::string &name, Tensor tensor);
  Status applyFill(size_t index, Fill fill);
  Status refuseOpen();
  void takeDefaults();
  void learnExtents(size_t index);
  std::optional<size_t> indexOf(const std::string &name);
  Status unknownName(const std::string &name);

  Invocation &call;
  const std::vector<InputSignature> &inputs;
  std::map<std::string, int64_t> sizes;
  std::vector<Tensor> &values;
  std::vector<bool> given;
  std::vector<std::optional<Fill>> fills;
  std::optional<Fill> fillOfAll;
  std::vector<std::string> names;
};
} // namespace

static std::optional<Fill> parseFill(llvm::StringRef text) {
  Fill fill;
  if (text == "zeros")
    return fill;
  fill.kind = Fill::Ones;
  if (text == "ones")
    return fill;
  fill.kind = Fill::Random;
  if (text == "random" ||
      (text.consume_front("random:") && !text.getAsInteger(10, fill.seed)))
    return fill;
  return std::nullopt;
}

/// Fills a tensor. Random floats are uniform in [-1, 1). Random integers are
/// uniform in [0, 8), so that most of them are valid indices.
static void fillTensor(Tensor &tensor, Fill fill, size_t salt) {
  int64_t count = tensor.getNumElements();
  Bits bits(fill.seed * 0x2545f4914f6cdd1d + salt);
  for (int64_t i = 0; i < count && fill.kind != Fill::Zeros; ++i) {
    bool random = fill.kind == Fill::Random;
    if (isFloat(tensor.dtype))
      setElement(tensor, i,
                 random ? double(bits.next() >> 11) * 0x1p-52 - 1 : 1);
    else if (tensor.dtype == TENON_BOOL)
      setElementBits(tensor, i, random ? bits.next() & 1 : 1);
    else
      setElementBits(tensor, i, random ? bits.next() & 7 : 1);
  }
}

/// Moves elements outside the range of the input to its bounds.
static void clampTensor(Tensor &tensor, const tenon_tensor_desc &desc) {
  for (int64_t i = 0, n = tensor.getNumElements(); i < n; ++i)
    if (tensor.dtype == TENON_I64)
      setElementBits(tensor, i,
                     std::clamp(elementAsBits(tensor, i), desc.least.integer,
                                desc.greatest.integer));
    else
      setElement(tensor, i,
                 std::clamp(elementAsDouble(tensor, i), desc.least.real,
                            desc.greatest.real));
}

static std::string signatureText(const InputSignature &input) {
  std::string text = std::string(tenon_dtype_name(input.dtype)) + "[";
  for (size_t i = 0; i < input.dims.size(); ++i) {
    text += i ? "," : "";
    if (input.dims[i].size >= 0)
      text += std::to_string(input.dims[i].size);
    else
      text += input.dims[i].name.empty() ? "?" : input.dims[i].name;
  }
  return text + "]";
}

std::optional<size_t> Reader::indexOf(const std::string &name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return i;
  for (size_t i = 0; i < names.size(); ++i)
    if (firstResult(names[i]) == name)
      return i;
  return std::nullopt;
}

Status Reader::unknownName(const std::string &name) {
  std::vector<std::string> lines;
  for (const InputSignature &input : inputs)
    lines.push_back(input.name + "  " + signatureText(input));
  return call.talk.fail(
      Status::BadInput, "tenon",
      "no input is called '" + name + "'" + didYouMean(name, names), lines);
}

Status Reader::give(const std::string &name, Tensor tensor) {
  std::optional<size_t> index;
  if (!name.empty()) {
    index = indexOf(name);
    if (!index)
      return unknownName(name);
    if (given[*index])
      return call.talk.fail(Status::BadInput, "tenon",
                            "input '" + name + "' is given twice");
  } else {
    for (size_t i = 0; i < inputs.size() && !index; ++i)
      if (!given[i] && !fills[i])
        index = i;
    if (!index)
      return call.talk.fail(Status::BadInput, "tenon",
                            "more values than the model has inputs (" +
                                std::to_string(inputs.size()) + ")");
  }
  given[*index] = true;
  tensor.name = names[*index];
  values[*index] = std::move(tensor);
  learnExtents(*index);
  return Status::Success;
}

void Reader::learnExtents(size_t index) {
  const InputSignature &input = inputs[index];
  const Tensor &value = values[index];
  if (value.dims.size() != input.dims.size())
    return;
  for (size_t d = 0; d < value.dims.size(); ++d)
    if (input.dims[d].size < 0 && !input.dims[d].name.empty())
      sizes.emplace(input.dims[d].name, value.dims[d]);
}

/// Parses `2x3xi32=1 2 3 4 5 6`, `f32=1.5`, `4x10xf32=random`.
Status Reader::readTypedLiteral(const std::string &text, Tensor &tensor) {
  auto [type, data] = llvm::StringRef(text).split('=');
  auto refuse = [&](const std::string &why) {
    return call.talk.usage("--input=" + text + ": " + why);
  };
  std::optional<std::string> wrong = parseType(type, tensor);
  if (!llvm::StringRef(text).contains('=') || !wrong)
    return refuse("expected @f.npy, @f.npz, @f.pb, a literal such as 2x2xi32=1 "
                  "2 3 4, NAME=7 or NAME=[1,2], zeros, ones or random[:SEED]");
  if (!wrong->empty())
    return refuse(*wrong);
  std::optional<uint64_t> bytes = tensorBytes(tensor.dtype, tensor.dims);
  if (!bytes || *bytes > (uint64_t(1) << 40))
    return call.talk.fail(Status::Limit, "tenon",
                          "--input=" + text + ": larger than 1 TiB");
  if (Status status =
          call.memory.admit(call.talk, "tenon", "--input=" + text, *bytes);
      status != Status::Success)
    return status;
  tensor.bytes.assign(*bytes, 0);
  if (std::optional<Fill> fill = parseFill(data)) {
    fillTensor(tensor, *fill, 0);
    return Status::Success;
  }
  if (std::string why = parseElements(data, tensor); !why.empty())
    return refuse(why);
  return Status::Success;
}

Status Reader::readValue(const std::string &name, const std::string &value) {
  Tensor tensor;
  if (value.starts_with("@")) {
    std::string path = value.substr(1);
    if (name.empty() && llvm::sys::path::extension(path) == ".npz")
      return readFiles(path);
    if (Status status = readOneTensor(call, path, name, tensor);
        status != Status::Success)
      return status;
    return give(name, std::move(tensor));
  }
  if (std::optional<Fill> fill = parseFill(value)) {
    if (name.empty()) {
      fillOfAll = fill;
      return Status::Success;
    }
    std::optional<size_t> index = indexOf(name);
    if (!index)
      return unknownName(name);
    fills[*index] = fill;
    return Status::Success;
  }
  if (std::optional<size_t> index = name.empty() ? std::nullopt : indexOf(name);
      index && isPlainLiteral(value)) {
    tensor.dtype = inputs[*index].dtype;
    if (std::string wrong = parsePlainLiteral(value, tensor); !wrong.empty())
      return call.talk.usage("--input=" + name + "=" + value + ": " + wrong);
    return give(name, std::move(tensor));
  }
  if (Status status = readTypedLiteral(value, tensor);
      status != Status::Success)
    return status;
  return give(name, std::move(tensor));
}

Status Reader::readFlag(const std::string &text) {
  auto [name, value] = splitName(text, names);
  if (name.empty()) {
    // Distinguish a mistyped name (`nme=@x.npy`) from a literal (`2xf32=1 2`).
    auto [head, tail] = llvm::StringRef(text).split('=');
    llvm::StringRef type = head.rsplit('x').second;
    bool literal =
        dtypeNamed(head.str()) || (!type.empty() && dtypeNamed(type.str()));
    if (!tail.empty() && !literal && !text.starts_with("@"))
      return unknownName(head.str());
  }
  return readValue(name, value);
}

Status Reader::readFiles(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    return call.talk.fail(Status::Io, path,
                          "cannot open: No such file or directory");
  if (!llvm::sys::fs::is_directory(path)) {
    std::vector<Tensor> tensors;
    if (Status status = readTensorFile(call, path, tensors);
        status != Status::Success)
      return status;
    for (Tensor &tensor : tensors) {
      std::string name = tensor.name;
      if (Status status = give(name, std::move(tensor));
          status != Status::Success)
        return status;
    }
    return Status::Success;
  }
  std::vector<std::string> files;
  if (Status status = listTensorFiles(call.talk, path, "", files);
      status != Status::Success)
    return status;
  for (const std::string &file : files) {
    std::string stem = llvm::sys::path::stem(file).str();
    Tensor tensor;
    if (Status status = readOneTensor(call, file, stem, tensor);
        status != Status::Success)
      return status;
    // ONNX data files hold the name of their tensor.
    std::string name = indexOf(stem) ? stem : tensor.name;
    if (name.empty())
      return unknownName(stem);
    if (Status status = give(name, std::move(tensor));
        status != Status::Success)
      return status;
  }
  return Status::Success;
}

Status Reader::applyFill(size_t index, Fill fill) {
  const InputSignature &input = inputs[index];
  Tensor &tensor = values[index];
  tensor.name = input.name;
  tensor.dtype = input.dtype;
  for (size_t d = 0; d < input.dims.size(); ++d) {
    const InputSignature::Dim &dim = input.dims[d];
    auto known = dim.name.empty() ? sizes.end() : sizes.find(dim.name);
    if (dim.size < 0 && known == sizes.end()) {
      std::string help =
          dim.name.empty() ? "give the shape: --input=" + input.name + "=1x2x" +
                                 tenon_dtype_name(input.dtype) + "=random"
                           : "pass --dim=" + dim.name + "=SIZE";
      return call.talk.fail(Status::BadInput, "tenon",
                            "the size of extent " + std::to_string(d) +
                                " of input '" + input.name + "' is not known",
                            {input.name + " is " + signatureText(input)}, help);
    }
    tensor.dims.push_back(dim.size < 0 ? known->second : dim.size);
  }
  std::optional<uint64_t> bytes = tensorBytes(tensor.dtype, tensor.dims);
  if (!bytes || *bytes > (uint64_t(1) << 40))
    return call.talk.fail(Status::Limit, "tenon",
                          "input '" + input.name + "' of " +
                              typeText(tensor.dtype, tensor.dims) +
                              " is larger than 1 TiB");
  if (Status status = call.memory.admit(call.talk, "tenon",
                                        "input '" + input.name + "' of " +
                                            typeText(tensor.dtype, tensor.dims),
                                        *bytes);
      status != Status::Success)
    return status;
  tensor.bytes.assign(*bytes, 0);
  fillTensor(tensor, fill, index);
  if (fill.kind == Fill::Random && input.desc->flags & TENON_INPUT_RANGE)
    clampTensor(tensor, *input.desc);
  return Status::Success;
}

/// Gives the optional inputs that no flag names their defaults.
void Reader::takeDefaults() {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const tenon_tensor_desc *desc = inputs[i].desc;
    if (given[i] || fills[i] || !(desc->flags & TENON_INPUT_OPTIONAL))
      continue;
    auto *data = static_cast<const uint8_t *>(desc->default_data);
    values[i] = {desc->name,
                 desc->dtype,
                 {desc->default_dims, desc->default_dims + desc->rank},
                 {data, data + desc->default_bytes}};
    given[i] = true;
    learnExtents(i);
  }
}

Status Reader::refuseOpen() {
  std::vector<std::string> lines;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!given[i] && !fills[i])
      lines.push_back("--input=" + names[i] + "=@FILE.npy   " +
                      signatureText(inputs[i]));
  return call.talk.fail(
      Status::BadInput, "tenon",
      std::to_string(lines.size()) + " of " + std::to_string(inputs.size()) +
          (inputs.size() == 1 ? " input has" : " inputs have") + " no value",
      lines, "pass --input=random:1 to fill them all");
}

Status Reader::checkSizes() {
  std::vector<std::string> known;
  for (const InputSignature &input : inputs)
    for (const InputSignature::Dim &dim : input.dims)
      if (dim.size < 0 && !dim.name.empty() &&
          !llvm::is_contained(known, dim.name))
        known.push_back(dim.name);
  for (const auto &[name, size] : sizes)
    if (!llvm::is_contained(known, name))
      return call.talk.fail(Status::BadInput, "tenon",
                            "--dim: no dynamic extent is called '" + name +
                                "'" + didYouMean(name, known),
                            {known.empty()
                                 ? "every size is fixed in what is to be run"
                                 : "there are: " + llvm::join(known, ", ")},
                            known.empty() ? "leave --dim away, or compile "
                                            "again without fixing the extent"
                                          : "");
  return Status::Success;
}

Status Reader::read(OpenInputs open) {
  if (Status status = checkSizes(); status != Status::Success)
    return status;
  if (const Arg *arg = call.args.getLastArg(OPT_inputs))
    if (Status status = readFiles(arg->getValue()); status != Status::Success)
      return status;
  for (const Arg *arg : call.args.filtered(OPT_input))
    if (Status status = readFlag(arg->getValue()); status != Status::Success)
      return status;
  takeDefaults();
  if (open == OpenInputs::Random && !fillOfAll)
    fillOfAll = Fill{Fill::Random, 1};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (given[i])
      continue;
    if (!fills[i] && !fillOfAll)
      return refuseOpen();
    if (Status status = applyFill(i, fills[i] ? *fills[i] : *fillOfAll);
        status != Status::Success)
      return status;
  }
  return Status::Success;
}

Status readInputs(Invocation &call, const std::vector<InputSignature> &inputs,
                  std::map<std::string, int64_t> sizes, OpenInputs open,
                  std::vector<Tensor> &values) {
  return Reader(call, inputs, std::move(sizes), values).read(open);
}

} // namespace tenon::cli
