// The driver's functions for graphs. Parameters are taken at each call. A graph
// runs its nodes in an order that the seed draws, within their dependencies.
// Refused is what a driver may refuse, and what a host should not do: an update
// with another function or other kinds of memory, memory of the host that is
// not pinned, and the end of a graph that is at work.
#include "test/gpu/driver/Call.h"

#include <variant>

using namespace tenon::ptx;

namespace {
struct Kernel {
  CUfunction function;
  LaunchShape shape;
  std::vector<uint8_t> parameters;
};
struct Copy {
  CUDA_MEMCPY3D_v2 parameters;
};
struct Fill {
  CUDA_MEMSET_NODE_PARAMS_v1 parameters;
};
using Work = std::variant<Kernel, Copy, Fill>;
} // namespace

struct CUgraphNode_st {
  Work work;
  std::vector<CUgraphNode> after;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  bool has(CUgraphNode node) const {
    for (const auto &each : nodes)
      if (each.get() == node)
        return true;
    return false;
  }
};

namespace {
struct Step {
  Work work;
  std::vector<size_t> after;
};
} // namespace

struct CUgraphExec_st {
  CUgraph graph;
  std::map<CUgraphNode, size_t> places;
  std::vector<Step> steps;
  std::shared_ptr<int> waiting = std::make_shared<int>(0);
};

namespace {
bool isPinned(const void *from, size_t bytes) {
  const char *at = static_cast<const char *>(from);
  for (const auto &[memory, size] : driver().hostMemory)
    if (at >= memory && bytes <= size && at - memory <= ptrdiff_t(size - bytes))
      return true;
  return false;
}

/// True for one row of bytes between device memory, or to it from pinned
/// memory.
bool isGood(const Copy &copy) {
  const CUDA_MEMCPY3D_v2 &p = copy.parameters;
  bool isRow = p.WidthInBytes && p.Height == 1 && p.Depth == 1 &&
               !p.srcXInBytes && !p.srcY && !p.srcZ && !p.srcLOD &&
               !p.dstXInBytes && !p.dstY && !p.dstZ && !p.dstLOD &&
               !p.reserved0 && !p.reserved1;
  bool hasSource =
      p.srcMemoryType == CU_MEMORYTYPE_HOST
          ? isPinned(p.srcHost, p.WidthInBytes)
          : p.srcMemoryType == CU_MEMORYTYPE_DEVICE &&
                driver().range(p.srcDevice, p.WidthInBytes) != nullptr;
  return isRow && hasSource && p.dstMemoryType == CU_MEMORYTYPE_DEVICE &&
         driver().range(p.dstDevice, p.WidthInBytes);
}

bool isGood(const Fill &fill) {
  const CUDA_MEMSET_NODE_PARAMS_v1 &p = fill.parameters;
  return (p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4) &&
         p.width && p.height == 1 && p.dst % p.elementSize == 0 &&
         driver().range(p.dst, p.width * p.elementSize);
}

bool isGood(const Kernel &kernel) {
  return driver().canLaunch(kernel.function, kernel.shape);
}

bool isKernel(const CUDA_KERNEL_NODE_PARAMS_v1 &p) {
  return driver().isFunction(p.func) && !p.extra;
}

Work taken(const CUDA_KERNEL_NODE_PARAMS_v1 &p) {
  return Kernel{p.func,
                {{p.gridDimX, p.gridDimY, p.gridDimZ},
                 {p.blockDimX, p.blockDimY, p.blockDimZ},
                 p.sharedMemBytes},
                Driver::takeParameters(*p.func->program, p.kernelParams)};
}
Work taken(const CUDA_MEMCPY3D_v2 &p) { return Copy{p}; }
Work taken(const CUDA_MEMSET_NODE_PARAMS_v1 &p) { return Fill{p}; }

/// True if a node that was made for `old` may do `work`.
bool isLike(const Work &old, const Work &work) {
  if (old.index() != work.index())
    return false;
  if (auto *kernel = std::get_if<Kernel>(&work))
    return kernel->function == std::get<Kernel>(old).function;
  if (auto *copy = std::get_if<Copy>(&work))
    return copy->parameters.srcMemoryType ==
           std::get<Copy>(old).parameters.srcMemoryType;
  auto &now = std::get<Fill>(work).parameters,
       &before = std::get<Fill>(old).parameters;
  return now.elementSize == before.elementSize && now.width == before.width;
}

bool isGood(const Work &work) {
  return std::visit([](const auto &each) { return isGood(each); }, work);
}

template <typename Parameters>
CUresult add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
             size_t count, const Parameters &parameters) {
  if (!driver().graphs.count(graph))
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<CUgraphNode_st>();
  for (size_t i = 0; i < count; ++i) {
    if (!graph->has(after[i]))
      return CUDA_ERROR_INVALID_VALUE;
    made->after.push_back(after[i]);
  }
  made->work = taken(parameters);
  if (!isGood(made->work))
    return CUDA_ERROR_INVALID_VALUE;
  *node = made.get();
  graph->nodes.push_back(std::move(made));
  return CUDA_SUCCESS;
}

template <typename Parameters>
CUresult set(CUgraphExec exec, CUgraphNode node, const Parameters &parameters) {
  if (!driver().executables.count(exec) || !driver().graphs.count(exec->graph))
    return CUDA_ERROR_INVALID_VALUE;
  auto place = exec->places.find(node);
  if (place == exec->places.end())
    return CUDA_ERROR_INVALID_VALUE;
  Work &work = exec->steps[place->second].work;
  Work made = taken(parameters);
  if (!isLike(work, made) || !isGood(made))
    return CUDA_ERROR_INVALID_VALUE;
  work = std::move(made);
  return CUDA_SUCCESS;
}

void run(const Work &work) {
  if (auto *kernel = std::get_if<Kernel>(&work)) {
    driver().runKernel(*kernel->function->program, kernel->shape,
                       kernel->parameters);
  } else if (auto *fill = std::get_if<Fill>(&work)) {
    const CUDA_MEMSET_NODE_PARAMS_v1 &p = fill->parameters;
    fillDevice(p.dst, p.value, p.elementSize, p.width);
  } else {
    const CUDA_MEMCPY3D_v2 &p = std::get<Copy>(work).parameters;
    if (p.srcMemoryType == CU_MEMORYTYPE_DEVICE)
      copyWithinDevice(p.dstDevice, p.srcDevice, p.WidthInBytes);
    else if (isPinned(p.srcHost, p.WidthInBytes))
      copyToDevice(p.dstDevice, p.srcHost, p.WidthInBytes);
    else
      driver().reportFinding(
          "a graph copies memory of the host that was freed");
  }
}

void runAll(const std::vector<Step> &steps) {
  std::vector<bool> done(steps.size());
  for (size_t count = 0; count < steps.size(); ++count) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < steps.size(); ++i) {
      bool waits = done[i];
      for (size_t before : steps[i].after)
        waits = waits || !done[before];
      if (!waits)
        ready.push_back(i);
    }
    size_t next = ready[driver().draw(ready.size())];
    run(steps[next].work);
    done[next] = true;
  }
}
} // namespace

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  return inContext("cuGraphCreate", [&] {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    *graph = new CUgraph_st();
    driver().graphs.insert(*graph);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return inContext("cuGraphDestroy", [&] {
    if (!driver().graphs.erase(graph))
      return CUDA_ERROR_INVALID_VALUE;
    delete graph;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return inContext("cuGraphAddKernelNode", [&] {
    return isKernel(*parameters) ? add(node, graph, after, count, *parameters)
                                 : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_MEMCPY3D_v2 *parameters,
                              CUcontext context) {
  return inContext("cuGraphAddMemcpyNode", [&] {
    return context != &driver().primary
               ? CUDA_ERROR_INVALID_VALUE
               : add(node, graph, after, count, *parameters);
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS_v1 *parameters,
                              CUcontext context) {
  return inContext("cuGraphAddMemsetNode", [&] {
    return context != &driver().primary
               ? CUDA_ERROR_INVALID_VALUE
               : add(node, graph, after, count, *parameters);
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  return inContext("cuGraphInstantiateWithFlags", [&] {
    if (flags || !driver().graphs.count(graph))
      return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<CUgraphExec_st>();
    made->graph = graph;
    for (const auto &node : graph->nodes) {
      Step step{node->work, {}};
      for (CUgraphNode before : node->after)
        step.after.push_back(made->places.at(before));
      made->places[node.get()] = made->steps.size();
      made->steps.push_back(std::move(step));
    }
    *exec = made.release();
    driver().executables.insert(*exec);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return inContext("cuGraphExecDestroy", [&] {
    if (!driver().executables.count(exec))
      return CUDA_ERROR_INVALID_VALUE;
    if (*exec->waiting) {
      driver().reportFinding("a graph is destroyed that is at work");
      return CUDA_ERROR_INVALID_VALUE;
    }
    driver().executables.erase(exec);
    delete exec;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return inContext("cuGraphLaunch", [&] {
    if (!driver().executables.count(exec))
      return CUDA_ERROR_INVALID_VALUE;
    ++*exec->waiting;
    return driver().enqueue(stream,
                            [steps = exec->steps, waiting = exec->waiting] {
                              runAll(steps);
                              --*waiting;
                            });
  });
}

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return inContext("cuGraphExecKernelNodeSetParams", [&] {
    return isKernel(*parameters) ? set(exec, node, *parameters)
                                 : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D_v2 *parameters,
                                        CUcontext context) {
  return inContext("cuGraphExecMemcpyNodeSetParams", [&] {
    return context != &driver().primary ? CUDA_ERROR_INVALID_VALUE
                                        : set(exec, node, *parameters);
  });
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS_v1 *parameters,
                               CUcontext context) {
  return inContext("cuGraphExecMemsetNodeSetParams", [&] {
    return context != &driver().primary ? CUDA_ERROR_INVALID_VALUE
                                        : set(exec, node, *parameters);
  });
}
