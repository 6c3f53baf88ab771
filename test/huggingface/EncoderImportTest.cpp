// Imports a T5 and looks at the module: the states of the encoder, where the
// position bias is computed, and the entries.
#include "test/huggingface/ImportFolder.h"

#include "dialects/tenon/State.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

#include <set>

namespace tenon::test {
namespace {

using namespace mlir;

constexpr int64_t vocabulary = 9, width = 8, heads = 3, depth = 4, inner = 6,
                  layers = 3;

class EncoderImport : public ImportFolder {
protected:
  void addStack(const std::string &stack, bool isDecoder) {
    for (int64_t i = 0; i < layers; ++i) {
      std::string block = stack + ".block." + std::to_string(i) + ".layer.";
      auto addAttention = [&](const std::string &name) {
        for (const char *part : {"q", "k", "v"})
          add(block + name + "." + part + ".weight", {heads * depth, width});
        add(block + name + ".o.weight", {width, heads * depth});
      };
      addAttention("0.SelfAttention");
      if (isDecoder)
        addAttention("1.EncDecAttention");
      std::string last = isDecoder ? "2" : "1";
      add(block + last + ".DenseReluDense.wi.weight", {inner, width});
      add(block + last + ".DenseReluDense.wo.weight", {width, inner});
      for (int64_t norm = 0; norm < (isDecoder ? 3 : 2); ++norm)
        add(block + std::to_string(norm) + ".layer_norm.weight", {width});
    }
    add(stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        {8, heads});
    add(stack + ".final_layer_norm.weight", {width});
  }

  void writeT5() {
    add("shared.weight", {vocabulary, width});
    addStack("encoder", false);
    addStack("decoder", true);
    writeModel(
        R"({"model_type":"t5","vocab_size":9,"d_model":8,"d_kv":4,"d_ff":6,)"
        R"("num_layers":3,"num_heads":3,"relative_attention_num_buckets":8,)"
        R"("decoder_start_token_id":4})");
  }
};

TEST_F(EncoderImport, AnItemHasOneRowOfKeysAndValues) {
  writeT5();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  int64_t found = 0;
  module->walk([&](StateOp state) {
    if (!state.getSymName().starts_with("cross."))
      return;
    ++found;
    ASSERT_TRUE(state.getExtentsAttr());
    std::vector<std::string> extents;
    for (Attribute extent : state.getExtentsAttr())
      extents.push_back(cast<FlatSymbolRefAttr>(extent).getValue().str());
    EXPECT_EQ(extents,
              (std::vector<std::string>{"items", "encoder_positions"}));
  });
  EXPECT_EQ(found, 2 * layers);
  for (const char *extent : {"rows", "positions", "items", "encoder_positions"})
    EXPECT_TRUE(module->lookupSymbol<ContextExtentOp>(extent)) << extent;
}

/// Keys and values of items are written by `start` alone, in the loop over
/// items.
TEST_F(EncoderImport, AdvanceReadsWhatStartWrites) {
  writeT5();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  int64_t writes = 0;
  module->walk([&](StateWriteOp write) {
    if (!write.getState().starts_with("cross."))
      return;
    ++writes;
    EXPECT_EQ(write->getParentOfType<func::FuncOp>().getSymName(), "start");
    EXPECT_TRUE(write->getParentOfType<scf::ForOp>());
  });
  EXPECT_EQ(writes, 2 * layers);
}

/// All layers of a stack have one bias. The last one of `start` keeps one query
/// of each row, so it has a bias of its own.
TEST_F(EncoderImport, BiasIsComputedOnce) {
  writeT5();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  auto biases = [&](StringRef entry) {
    llvm::DenseSet<Value> found;
    module->lookupSymbol<func::FuncOp>(entry).walk([&](AttentionOp op) {
      if (op.getMask())
        found.insert(op.getMask());
    });
    return int64_t(found.size());
  };
  EXPECT_EQ(biases("encode"), 1);
  EXPECT_EQ(biases("logits"), 2);
  EXPECT_EQ(biases("start"), 3);
  EXPECT_EQ(biases("advance"), 1);
}

/// Few queries of an item, as of beams, read its keys where they are.
TEST_F(EncoderImport, FewQueriesHaveOpsOfTheirOwn) {
  writeT5();
  OwningOpRef<ModuleOp> module = import();
  ASSERT_TRUE(module) << said;
  std::multiset<int64_t> rows;
  module->lookupSymbol<func::FuncOp>("advance").walk([&](AttentionOp op) {
    if (op.getLengths() && !op.getTable())
      rows.insert(
          cast<RankedTensorType>(op.getQuery().getType()).getDimSize(1));
  });
  for (int64_t count : {int64_t(1), int64_t(6), ShapedType::kDynamic})
    EXPECT_EQ(int64_t(rows.count(count)), layers) << count;
}

TEST_F(EncoderImport, ExtentsOfInputsHaveRanges) {
  writeT5();
  auto withDim = [&](const std::string &name, int64_t min, int64_t max) {
    CompileOptions options;
    options.dims.push_back({name, min, max, 1});
    return bool(import(options));
  };
  EXPECT_TRUE(withDim("encoder_seq", 1, 1024)) << said;
  EXPECT_TRUE(withDim("decoder_seq", 4, 4)) << said;
  EXPECT_FALSE(withDim("encoder_seq", 1, 40000));
  EXPECT_NE(said.find("encoder_seq up to 40000, and the model has 32768"),
            std::string::npos)
      << said;
  EXPECT_FALSE(withDim("encoder_seq", 0, 8));
}

} // namespace
} // namespace tenon::test
