// Graphs of the stand-in for the driver: when parameters are taken, in which
// order nodes run, and what is refused.
#include "test/gpu/DriverHost.h"
#include "test/gpu/driver/StandIn.h"

using namespace tenon;
using namespace tenon::test;

namespace {

/// A host whose graph fills y with ones and then adds a x to it.
struct GraphHost : Host {
  CUgraph graph = nullptr;
  CUgraphNode fill = nullptr, kernel = nullptr;
  CUgraphExec exec = nullptr;
  float a = 2;
  int n = count;
  void *parameters[4] = {&x, &y, &a, &n};

  CUDA_KERNEL_NODE_PARAMS_v1 kernelNode() {
    return {function, (count + 127) / 128, 1,      1, 128, 1, 1,
            0,        parameters,          nullptr};
  }
  CUDA_MEMSET_NODE_PARAMS_v1 fillNode(float value = 1) {
    unsigned bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return {y, 0, bits, 4, size_t(count), 1};
  }
  CUDA_MEMCPY3D_v2 copyNode(const void *from) {
    CUDA_MEMCPY3D_v2 made = {};
    made.srcMemoryType = CU_MEMORYTYPE_HOST;
    made.srcHost = from;
    made.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    made.dstDevice = x;
    made.WidthInBytes = sizeof input;
    made.Height = made.Depth = 1;
    return made;
  }

  void prepare() {
    EXPECT_EQ(open(), CUDA_SUCCESS);
    EXPECT_EQ(load(ptx::builtText("copies", 80)), CUDA_SUCCESS);
    EXPECT_EQ(allocate(), CUDA_SUCCESS);
    EXPECT_EQ(upload(), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    CUDA_MEMSET_NODE_PARAMS_v1 ones = fillNode();
    EXPECT_EQ(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones, context),
              CUDA_SUCCESS);
  }
  void make(bool inOrder = true) {
    prepare();
    CUDA_KERNEL_NODE_PARAMS_v1 adds = kernelNode();
    EXPECT_EQ(cuGraphAddKernelNode(&kernel, graph, &fill, inOrder, &adds),
              CUDA_SUCCESS);
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  }
  CUresult update() {
    CUDA_KERNEL_NODE_PARAMS_v1 adds = kernelNode();
    return cuGraphExecKernelNodeSetParams(exec, kernel, &adds);
  }
  /// The result of a x + 1 at x = 10, or what failed.
  float runOnce() {
    if (cuGraphLaunch(exec, stream) || download())
      return -1;
    return output[10];
  }
  void release() {
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    close();
  }
};

TEST(DriverGraphs, RunInTheOrderOfDependencies) {
  int wrong = 0;
  for (int seed = 0; seed < 8; ++seed) {
    Settings settings = {{"TENON_GPU_SEED", std::to_string(seed)},
                         {"TENON_GPU_REPORT", "/dev/null"}};
    EXPECT_EQ(alone(settings,
                    [] {
                      GraphHost host;
                      host.make();
                      for (int i = 0; i < 3; ++i)
                        EXPECT_EQ(host.runOnce(), 21);
                      host.release();
                      EXPECT_STREQ(tenonStandInLeft(), "");
                      return 0;
                    }),
              0);
    wrong += alone(settings, [] {
      GraphHost host;
      host.make(false);
      return host.runOnce() != 21;
    });
  }
  EXPECT_GT(wrong, 0);
}

TEST(DriverGraphs, TakeParametersAtEachCall) {
  EXPECT_EQ(
      alone({},
            [] {
              GraphHost host;
              host.make();
              host.a = 5; // not of the node
              EXPECT_EQ(host.runOnce(), 21);
              // A launch that waits keeps what it had.
              EXPECT_EQ(cuGraphLaunch(host.exec, host.stream), CUDA_SUCCESS);
              EXPECT_EQ(cuMemcpyDtoHAsync_v2(host.input, host.y,
                                             sizeof host.input, host.stream),
                        CUDA_SUCCESS);
              EXPECT_EQ(host.update(), CUDA_SUCCESS);
              EXPECT_EQ(host.runOnce(), 51);
              EXPECT_EQ(host.input[10], 21);
              CUDA_MEMSET_NODE_PARAMS_v1 threes = host.fillNode(3);
              EXPECT_EQ(cuGraphExecMemsetNodeSetParams(host.exec, host.fill,
                                                       &threes, host.context),
                        CUDA_SUCCESS);
              EXPECT_EQ(host.runOnce(), 53);
              host.release();
              return 0;
            }),
      0);
}

TEST(DriverGraphs, CopyFromPinnedMemory) {
  EXPECT_EQ(
      alone({{"TENON_GPU_REPORT", "/dev/null"}},
            [] {
              GraphHost host;
              host.prepare();
              void *pinned = nullptr;
              EXPECT_EQ(cuMemAllocHost_v2(&pinned, sizeof host.input),
                        CUDA_SUCCESS);
              for (int i = 0; i < Host::count; ++i)
                static_cast<float *>(pinned)[i] = 7;
              CUgraphNode copy;
              CUDA_MEMCPY3D_v2 node = host.copyNode(host.input);
              EXPECT_EQ(cuGraphAddMemcpyNode(&copy, host.graph, &host.fill, 1,
                                             &node, host.context),
                        CUDA_ERROR_INVALID_VALUE);
              node = host.copyNode(pinned);
              EXPECT_EQ(cuGraphAddMemcpyNode(&copy, host.graph, &host.fill, 1,
                                             &node, host.context),
                        CUDA_SUCCESS);
              CUDA_KERNEL_NODE_PARAMS_v1 adds = host.kernelNode();
              EXPECT_EQ(cuGraphAddKernelNode(&host.kernel, host.graph, &copy, 1,
                                             &adds),
                        CUDA_SUCCESS);
              EXPECT_EQ(cuGraphInstantiateWithFlags(&host.exec, host.graph, 0),
                        CUDA_SUCCESS);
              EXPECT_EQ(host.runOnce(), 15);
              // From memory of the device instead: another kind.
              node.srcMemoryType = CU_MEMORYTYPE_DEVICE;
              node.srcDevice = host.y;
              EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(host.exec, copy, &node,
                                                       host.context),
                        CUDA_ERROR_INVALID_VALUE);
              // The memory is freed, but not the graph.
              EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
              EXPECT_EQ(host.runOnce(), -1);
              return 0;
            }),
      0);
}

TEST(DriverGraphs, RefuseWhatDoesNotFit) {
  EXPECT_EQ(
      alone({{"TENON_GPU_REPORT", "/dev/null"}},
            [] {
              GraphHost host;
              host.make();
              CUfunction scale = host.function;
              EXPECT_EQ(cuModuleGetFunction(&host.function, host.module,
                                            "switchOnKind"),
                        CUDA_SUCCESS);
              EXPECT_EQ(host.update(), CUDA_ERROR_INVALID_VALUE);
              host.function = scale;
              CUDA_MEMSET_NODE_PARAMS_v1 fewer = host.fillNode();
              fewer.width -= 1;
              EXPECT_EQ(cuGraphExecMemsetNodeSetParams(host.exec, host.fill,
                                                       &fewer, host.context),
                        CUDA_ERROR_INVALID_VALUE);
              fewer = host.fillNode();
              fewer.dst += 4; // past the end
              EXPECT_EQ(cuGraphExecMemsetNodeSetParams(host.exec, host.fill,
                                                       &fewer, host.context),
                        CUDA_ERROR_INVALID_VALUE);
              // The fill's node is no kernel, and another graph has neither.
              std::swap(host.kernel, host.fill);
              EXPECT_EQ(host.update(), CUDA_ERROR_INVALID_VALUE);
              std::swap(host.kernel, host.fill);
              CUgraph other;
              EXPECT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
              CUDA_KERNEL_NODE_PARAMS_v1 adds = host.kernelNode();
              CUgraphNode node;
              EXPECT_EQ(
                  cuGraphAddKernelNode(&node, other, &host.fill, 1, &adds),
                  CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(cuGraphDestroy(other), CUDA_SUCCESS);
              EXPECT_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(host.runOnce(), 21);
              EXPECT_STREQ(tenonStandInLeft(),
                           "2 allocations of 8000 bytes, 1 modules, 1 streams, "
                           "1 graphs, 1 executable graphs, 1 uses of the "
                           "context");
              // Nodes belong to the graph: without it there is no update.
              EXPECT_EQ(cuGraphDestroy(host.graph), CUDA_SUCCESS);
              EXPECT_EQ(host.update(), CUDA_ERROR_INVALID_VALUE);
              EXPECT_EQ(host.runOnce(), 21);
              EXPECT_EQ(cuGraphExecDestroy(host.exec), CUDA_SUCCESS);
              EXPECT_EQ(cuGraphLaunch(host.exec, host.stream),
                        CUDA_ERROR_INVALID_VALUE);
              host.close();
              return 0;
            }),
      0);
}

TEST(DriverGraphs, StayWhileTheyWork) {
  int refused = 0;
  for (int seed = 0; seed < 4; ++seed)
    refused +=
        alone({{"TENON_GPU_SEED", std::to_string(seed)},
               {"TENON_GPU_REPORT", "/dev/null"}},
              [] {
                GraphHost host;
                host.make();
                EXPECT_EQ(cuGraphLaunch(host.exec, host.stream), CUDA_SUCCESS);
                return cuGraphExecDestroy(host.exec) != CUDA_SUCCESS;
              });
  EXPECT_GT(refused, 0);
}

TEST(DriverGraphs, AnUpdateIsSkippedByOrder) {
  EXPECT_EQ(alone({{"TENON_GPU_FAULT", "cuGraphExecKernelNodeSetParams:1:0"}},
                  [] {
                    GraphHost host;
                    host.make();
                    host.a = 5;
                    EXPECT_EQ(host.update(), CUDA_SUCCESS);
                    EXPECT_EQ(host.runOnce(), 21);
                    EXPECT_EQ(host.update(), CUDA_SUCCESS);
                    EXPECT_EQ(host.runOnce(), 51);
                    return 0;
                  }),
            0);
}
} // namespace
