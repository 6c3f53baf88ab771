// Tests generated headers: C and C++ compilers accept them, and a C program
// runs a model through them.
#include "test/artifact/SmallModel.h"

#include "compiler/artifact/Header.h"
#include "runtime/tenon_abi.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace tenon::test {
namespace {

/// Runs a shell command. Returns its exit code; `said` becomes its output.
int shell(const std::string &command, std::string &said) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  said.clear();
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe))
    said.append(buffer, n);
  int state = pclose(pipe);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TensorFacts tensor(std::string name, int32_t dtype,
                   std::vector<DimFacts> dims) {
  TensorFacts facts;
  facts.name = std::move(name);
  facts.dtype = dtype;
  facts.dims = std::move(dims);
  return facts;
}
DimFacts fixed(int64_t size) { return {size, size, size, 1, ""}; }

/// A model with names that are no identifiers, every type and every kind of
/// extent.
ModelFacts awkwardModel() {
  ModelFacts facts;
  facts.source = "odd */ name.onnx";
  FunctionFacts main;
  main.name = "main graph \"q\"";
  DimFacts batch = {-1, 1, 8, 2, "batch size"};
  DimFacts open = {-1, 0, INT64_MAX, 1, ""};
  int32_t dtype = 1;
  for (std::string name :
       {"x", "int", "1st", "a/b:0", "a.b:0", "*/ evil /*", "class", "",
        "batch size", "__reserved", "T", "u", "v\\"})
    main.inputs.push_back(tensor(name, dtype++, {batch, fixed(3), open}));
  main.inputs.push_back(tensor("scalar", TENON_F32, {}));
  // Optional inputs: with an extent of others, with extents of their own, and
  // with bounds.
  main.inputs.push_back(tensor("shared */", TENON_F32, {batch}));
  main.inputs.back().defaultValue = DefaultFacts{{2}, std::vector<char>(8)};
  DimFacts own = {-1, 0, 4, 1, "own"};
  for (std::string name : {"first own", "second own"}) {
    main.inputs.push_back(tensor(name, TENON_I64, {own, open}));
    main.inputs.back().defaultValue = DefaultFacts{{0, 1}, {}};
    main.inputs.back().bounds = BoundFacts{{-1}, {INT64_MAX}};
  }
  main.inputs.push_back(tensor("must", TENON_F64, {fixed(2)}));
  main.inputs.back().bounds.emplace();
  main.inputs.back().bounds->least.real = -0.1;
  main.inputs.back().bounds->greatest.real = 1;
  main.outputs.push_back(tensor("y", TENON_F32, {batch, fixed(4)}));
  main.outputs.push_back(tensor("x", TENON_BOOL, {fixed(2), fixed(0)}));
  main.outputs.push_back(tensor("s", TENON_F64, {}));
  main.outputs.push_back(tensor("found", TENON_I64, {fixed(3), open}));
  main.outputs.back().bounded = true;
  main.usesState = true;
  facts.functions.push_back(main);
  facts.states.push_back({"odd */ state", TENON_F32, {3}, 0, 64});
  facts.states.push_back({"", TENON_BOOL, {}, 64, -1});
  facts.stateBytes = 128;
  FunctionFacts none;
  none.name = "nothing";
  none.arenaBytes = 0;
  facts.functions.push_back(none);
  FunctionFacts large;
  large.name = "large";
  large.arenaBytes = int64_t(5) << 32;
  large.inputs.push_back(tensor("x", TENON_U8, {fixed(int64_t(1) << 40)}));
  large.outputs.push_back(tensor("y", TENON_U8, {fixed(1)}));
  facts.functions.push_back(large);
  return facts;
}

class HeaderTest : public ::testing::TestWithParam<bool> {};

TEST_P(HeaderTest, CompilesAsStrictCAndCxx) {
  bool standalone = GetParam();
  std::string folder = std::string(TENON_TEST_FOLDER) + "/header" +
                       (standalone ? "-standalone" : "");
  std::filesystem::create_directories(folder);
  writeFile(folder + "/odd.h",
            makeHeader(awkwardModel(), {"odd", standalone, false}));
  writeFile(folder + "/odd2.h",
            makeHeader(awkwardModel(), {"odd2", standalone, false}));
  writeFile(folder + "/far.h",
            makeHeader(awkwardModel(), {"far", false, true}));
  std::string source = "#include \"odd.h\"\n#include \"odd2.h\"\n"
                       "#include \"odd.h\"\nint unused_value;\n";
  if (!standalone)
    source += "#include \"far.h\"\n";
  writeFile(folder + "/use.c", source);
  writeFile(folder + "/use.cpp", source);
  std::string flags = " -Wall -Wextra -Werror -pedantic -fsyntax-only ";
  if (!standalone)
    flags += "-I" TENON_TEST_INCLUDE " ";
  std::string said;
  for (std::string compiler :
       {"clang-22 -std=c11", "cc -std=c11", "cc -std=c17"})
    EXPECT_EQ(shell(compiler + flags + folder + "/use.c", said), 0) << said;
  for (std::string compiler :
       {"clang++-22 -std=c++17", "c++ -std=c++17", "c++ -std=c++20"})
    EXPECT_EQ(shell(compiler + flags + folder + "/use.cpp", said), 0) << said;
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeaderTest, ::testing::Bool());

const char *program = R"c(
#include "small.h"
#include <stdio.h>
static _Alignas(64) char arena[small_ARENA_BYTES];
int main(void) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[28] = {0}, many[28] = {0};
  small_inputs in = {x, 2};
  small_outputs out = {y, {0, 0}};
  if (small_run(&in, &out, arena) != 0)
    return 1;
  for (int i = 0; i < 8; ++i)
    printf("%g ", y[i]);
  printf("%d %d\n", (int)out.y_dims[0], (int)out.y_dims[1]);
  tenon_fault fault = {0, 0, 0, 0, 0};
  in.x = many;
  in.N = 7;
  if (small_run_with(&in, &out, arena, NULL, NULL, &fault) !=
      TENON_FAULT_INDEX)
    return 2;
  puts(tenon_model_small.functions[0].sites[fault.site]);
  in.N = -1;
  return small_run(&in, &out, arena) == TENON_FAULT_SHAPE ? 0 : 3;
}
)c";
const std::string expected =
    "1.5 3 4.5 6 5.5 7 8.5 10 2 4\nnode \"seven\" (Add)\n";

TEST(Embedding, StandaloneNeedsLibcAlone) {
  SmallModel model("standalone");
  model.options.standalone = true;
  CompileReport report = model.write("small.o", EmitKind::Object);
  ASSERT_EQ(report.status, Status::Success) << model.text();
  EXPECT_EQ(report.header, model.path("small.h"));
  EXPECT_EQ(readFile(report.header).find("#include <tenon"), std::string::npos);
  writeFile(model.path("main.c"), program);
  std::string said, in = "cd " + model.folder + " && ";
  for (std::string link : {"cc", "cc -static", "clang-22 -fuse-ld=lld",
                           "cc -no-pie", "cc -Wl,--gc-sections"}) {
    ASSERT_EQ(shell(in + link +
                        " -std=c11 -Wall -Wextra -Werror main.c "
                        "small.o -o main",
                    said),
              0)
        << said;
    EXPECT_EQ(said, "");
    EXPECT_EQ(shell(in + "./main", said), 0);
    EXPECT_EQ(said, expected) << link;
  }
  ASSERT_EQ(shell(in + "cc main.c small.o -o main && ldd main", said), 0);
  EXPECT_EQ(said.find("tenon"), std::string::npos) << said;
  EXPECT_EQ(shell(in + "nm -u small.o", said), 0);
  EXPECT_EQ(said.find("tenon"), std::string::npos) << said;
}

TEST(Embedding, ThroughTheRuntime) {
  SmallModel model("linked");
  ASSERT_EQ(model.write("small.o", EmitKind::Object).status, Status::Success)
      << model.text();
  writeFile(model.path("main.c"), R"c(
#include "small.h"
#include <stdio.h>
int main(void) {
  tenon_model *model;
  tenon_context *context;
  if (tenon_open_desc(&tenon_model_small, NULL, &model) != TENON_OK)
    return 1;
  tenon_context_create(model, NULL, &context);
  float x[4] = {1, 1, 1, 1};
  small_inputs in = {x, 1};
  small_outputs out = {NULL, {0, 0}};
  if (small_run_in(context, &in, &out) != TENON_OK) {
    puts(tenon_context_text(context));
    return 2;
  }
  printf("%g %g %d\n", out.y[0], out.y[3], (int)small_y_count(&out));
  float mine[4];
  out.y = mine;
  if (small_run_in(context, &in, &out) != TENON_OK || out.y != mine ||
      mine[1] != 2)
    return 3;
  tenon_context_destroy(context);
  tenon_close(model);
  return 0;
}
)c");
  std::string said;
  ASSERT_EQ(
      shell("cd " + model.folder +
                " && cc -std=c11 -Wall -Wextra -Werror -I" TENON_TEST_INCLUDE
                " main.c small.o " TENON_TEST_RUNTIME
                " -lpthread -ldl -o main && ./main",
            said),
      0)
      << said;
  EXPECT_EQ(said, "1.5 3 4\n");
}

/// A .npy file of `rows` rows of four f32: its header and the values.
std::string npy(int64_t rows, const std::vector<float> &values) {
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", 4), }";
  while ((10 + dict.size() + 1) % 64 != 0)
    dict += ' ';
  dict += '\n';
  std::string text("\x93NUMPY\1\0", 8);
  text += char(dict.size() & 255);
  text += char(dict.size() >> 8);
  text += dict;
  text.append(reinterpret_cast<const char *>(values.data()), values.size() * 4);
  return text;
}

TEST(Program, ReadsRunsAndPrints) {
  SmallModel model("program");
  ASSERT_EQ(model.write("small", EmitKind::Executable).status, Status::Success)
      << model.text();
  std::string said, run = model.path("small") + " ";
  EXPECT_EQ(shell(run + "--help", said), 0);
  EXPECT_NE(said.find("f32[N,4]"), std::string::npos) << said;

  writeFile(model.path("x.npy"), npy(2, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(shell(run + "--input=@" + model.path("x.npy"), said), 0);
  EXPECT_EQ(said, "y f32[2,4]\n  1.5 3 4.5 6\n  5.5 7 8.5 10\n");
  EXPECT_EQ(shell(run + "--threads 1 --input x=@" + model.path("x.npy") +
                      " --output=y=" + model.path("y.npy"),
                  said),
            0);
  EXPECT_EQ(said, "");
  EXPECT_EQ(readFile(model.path("y.npy")),
            npy(2, {1.5f, 3, 4.5f, 6, 5.5f, 7, 8.5f, 10}));

  EXPECT_EQ(shell(run, said), int(Status::Usage)) << said;
  EXPECT_EQ(shell(run + "--inptu=1", said), int(Status::Usage)) << said;
  EXPECT_EQ(shell(run + "--input=zeros", said), int(Status::BadInput)) << said;
  EXPECT_EQ(shell(run + "--input=@missing.npy", said), int(Status::Io)) << said;
  writeFile(model.path("x.npy"), npy(7, std::vector<float>(28)));
  EXPECT_EQ(shell(run + "--input=@" + model.path("x.npy"), said),
            int(Status::BadInput));
  EXPECT_NE(said.find("node \"seven\" (Add)"), std::string::npos) << said;
  std::string good = npy(1, {1, 2, 3, 4});
  for (size_t length = 0; length < good.size(); length += 3) {
    writeFile(model.path("x.npy"), good.substr(0, length));
    EXPECT_EQ(shell(run + "--input=@" + model.path("x.npy"), said),
              int(Status::InvalidModel))
        << length << said;
  }
  EXPECT_EQ(shell("ldd " + run, said), 0);
  EXPECT_EQ(said.find("tenon_rt"), std::string::npos) << said;
}

} // namespace
} // namespace tenon::test
