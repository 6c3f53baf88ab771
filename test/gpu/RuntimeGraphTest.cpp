// Lists of work as graphs: which lists become one, what changes from run to
// run, and what a mistake in a graph would do. The stand-in counts the driver's
// calls.
#include "test/gpu/RuntimeSession.h"

using namespace tenon::test;

namespace {

int calls(const char *function) {
  return standIn<int(const char *)>("tenonStandInCalls")(function);
}
int graphsMade() { return calls("cuGraphInstantiateWithFlags"); }
int graphLaunches() { return calls("cuGraphLaunch"); }
int updates() {
  return calls("cuGraphExecKernelNodeSetParams") +
         calls("cuGraphExecMemcpyNodeSetParams") +
         calls("cuGraphExecMemsetNodeSetParams");
}

/// Runs x of n elements through a list of `steps` kernels and a copy.
tenon_status runChain(RuntimeSession &session, size_t n, int64_t steps) {
  HostTensor<float> x = ramp(n);
  HostTensor<int64_t> count(steps);
  tenon_status status = session.run("chain", {x, count});
  for (size_t i = 0; i < session.y.size(); ++i)
    if (session.y[i] != x.data[i] + double(steps) * 0.5 * double(i % 4 + 1)) {
      ADD_FAILURE() << "element " << i << " of " << n << " is " << session.y[i];
      break;
    }
  return status;
}

tenon_status runMixed(RuntimeSession &session, int n) {
  HostTensor<float> x = ramp(size_t(n));
  tenon_status status = session.run("mixed", {x});
  if (status == TENON_OK) {
    EXPECT_EQ(session.y, mixedOf(n));
  }
  return status;
}

TEST(GpuGraphs, OtherSizesUpdateAGraph) {
  withSession([](RuntimeSession &session) {
    int run = 0;
    for (size_t n : {64, 5, 700, 3, 3000, 1, 64, 9000, 2, 12000, 7, 64}) {
      EXPECT_EQ(runChain(session, n, 3), TENON_OK) << session.text();
      ++run;
      EXPECT_EQ(graphsMade(), run >= 2);
      EXPECT_EQ(graphLaunches(), run - 1);
      EXPECT_EQ(updates(), run >= 2 ? 4 * (run - 2) : 0);
    }
    EXPECT_EQ(calls("cuLaunchKernel"), 3); // of the first run
    EXPECT_EQ(calls("cuModuleLoadDataEx"), 1);
    // Equal runs change nothing.
    EXPECT_EQ(runChain(session, 64, 3), TENON_OK);
    EXPECT_EQ(updates(), 40);
    EXPECT_EQ(graphLaunches(), 12);
  });
}

TEST(GpuGraphs, AllKindsOfWorkAreNodes) {
  withSession([](RuntimeSession &session) {
    for (int n : {8, 8, 9, 500, 12, 12})
      EXPECT_EQ(runMixed(session, n), TENON_OK) << session.text();
    EXPECT_EQ(graphsMade(), 1);
    EXPECT_EQ(calls("cuGraphAddKernelNode"), 1);
    EXPECT_EQ(calls("cuGraphAddMemcpyNode"), 2);
    EXPECT_EQ(calls("cuGraphAddMemsetNode"), 1);
    EXPECT_EQ(graphLaunches(), 5);
    // Single bytes, words and large parts, in lists of several lengths.
    for (int64_t bytes : {100, 100, 101, 6000, 6000, 103, 9000, 700000, 104}) {
      HostTensor<int64_t> count(bytes);
      EXPECT_EQ(session.run<unsigned char>("send", {count}), TENON_OK)
          << session.text();
      for (size_t i = 0; i < session.y.size(); ++i)
        if (session.y[i] != double((7 + size_t(bytes) + i) % 256)) {
          ADD_FAILURE() << "byte " << i << " of " << bytes;
          break;
        }
    }
    EXPECT_EQ(graphsMade(), 3);
  });
}

TEST(GpuGraphs, AReadEndsAList) {
  withSession([](RuntimeSession &session) {
    // Two lists, each of one or two pieces of work.
    HostTensor<float> x{-1, 2, 0, 3};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(session.run("positive", {x}), TENON_OK) << session.text();
      EXPECT_EQ(session.y, (std::vector<double>{2, 3}));
    }
    EXPECT_EQ(calls("cuGraphCreate"), 0);
    EXPECT_EQ(calls("cuLaunchKernel"), 3);
  });
}

TEST(GpuGraphs, KeepsEightThatAreUsed) {
  withSession([](RuntimeSession &session) {
    // Nine lists take turns: eight become graphs, and stay.
    for (int round = 0; round < 4; ++round)
      for (int64_t steps = 2; steps < 11; ++steps)
        EXPECT_EQ(runChain(session, 20, steps), TENON_OK) << session.text();
    EXPECT_EQ(graphsMade(), 8);
    EXPECT_EQ(graphLaunches(), 3 * 8);
    EXPECT_EQ(calls("cuGraphExecDestroy"), 0);
    // Others come instead: the ones that were not used longest go.
    for (int64_t steps = 20; steps < 24; ++steps)
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(runChain(session, 20, steps), TENON_OK) << session.text();
    EXPECT_EQ(graphsMade(), 12);
    EXPECT_EQ(calls("cuGraphExecDestroy"), 4);
    EXPECT_EQ(calls("cuGraphDestroy"), 4);
    EXPECT_EQ(graphLaunches(), 3 * 8 + 4 * 2);
  });
}

TEST(GpuGraphs, LongListsAreCut) {
  withSession([](RuntimeSession &session) {
    // 1024 and 1024 and 453 pieces: the second is like the first.
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(runChain(session, 8, 2500), TENON_OK) << session.text();
    EXPECT_EQ(graphsMade(), 2);
    EXPECT_EQ(graphLaunches(), 1 + 3);
    // A list of much work is not awaited.
    HostTensor<float> x{1, 2, 3, 4};
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(session.run("spin", {x, HostTensor<int64_t>(int64_t(9))}),
                TENON_OK);
    EXPECT_EQ(graphsMade(), 2);
    EXPECT_GT(calls("cuEventSynchronize"), 0);
  });
}

TEST(GpuGraphs, ContextsHaveTheirOwn) {
  withSession([](RuntimeSession &session) {
    tenon_context *first = session.context;
    EXPECT_EQ(session.create(), TENON_OK) << session.why;
    tenon_context *second = session.context;
    for (int i = 0; i < 3; ++i)
      for (tenon_context *context : {first, second}) {
        session.context = context;
        EXPECT_EQ(runChain(session, 30, 4), TENON_OK) << session.text();
      }
    EXPECT_EQ(graphsMade(), 2);
    EXPECT_EQ(tenon_context_destroy(first), TENON_OK);
    EXPECT_EQ(runChain(session, 31, 4), TENON_OK) << session.text();
  });
}

TEST(GpuGraphs, StatesStayInOrder) {
  withSession([](RuntimeSession &session) {
    // Two functions with one state; each run adds to it.
    HostTensor<float> x{1, 2, 3, 4};
    for (int i = 1; i <= 4; ++i) {
      EXPECT_EQ(session.run("keep", {x}), TENON_OK) << session.text();
      EXPECT_EQ(session.y[1], 1 + 2 * i);
      EXPECT_EQ(session.run("cache", {x}), TENON_OK) << session.text();
      EXPECT_EQ(runMixed(session, 7 + i), TENON_OK);
    }
    EXPECT_EQ(graphsMade(), 1);
  });
}

TEST(GpuGraphs, ProfilesSeeEachKernel) {
  withSession([](RuntimeSession &session) {
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(runChain(session, 20, 3), TENON_OK);
    int seen = 0;
    tenon_context_set_profile(
        session.context,
        [](void *state, int32_t, int32_t ended, int64_t, int64_t) {
          *static_cast<int *>(state) += ended;
        },
        &seen);
    EXPECT_EQ(runChain(session, 20, 3), TENON_OK);
    EXPECT_EQ(seen, 3);
    EXPECT_EQ(graphLaunches(), 1);
    tenon_context_set_profile(session.context, nullptr, nullptr);
    EXPECT_EQ(runChain(session, 20, 3), TENON_OK);
    EXPECT_EQ(graphLaunches(), 2);
  });
}

TEST(GpuGraphs, ACancelledRunStartsNothing) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x = ramp(4);
    tenon_cancel(session.context);
    HostTensor<int64_t> steps(int64_t(3));
    EXPECT_EQ(session.run("chain", {x, steps}), TENON_CANCELLED);
    EXPECT_EQ(calls("cuLaunchKernel"), 0);
    EXPECT_EQ(runChain(session, 4, 3), TENON_OK) << session.text();
  });
}

TEST(GpuGraphs, AFaultOfAKernelIsReported) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x{1, 2, 3};
    HostTensor<int64_t> bad{0, 7, 1}, good{2, 0, 1};
    // The same list, with and without a fault.
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(session.run("pick", {x, bad}), TENON_BAD_INPUT);
      EXPECT_EQ(session.run("pick", {x, good}), TENON_OK) << session.text();
      EXPECT_EQ(runMixed(session, 8 + i), TENON_OK);
    }
  });
}

TEST(GpuGraphs, OldDriversStartItemByItem) {
  withSession(
      [](RuntimeSession &session) {
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(runChain(session, 10, 5), TENON_OK) << session.text();
          EXPECT_EQ(runMixed(session, 8 + i), TENON_OK) << session.text();
        }
        EXPECT_EQ(calls("cuGraphCreate"), 0);
      },
      {{"TENON_GPU_DRIVER", "11030"}});
}

/// Runs with the driver refusing or skipping one call.
void withFault(const std::string &order,
               const std::function<void(RuntimeSession &)> &body) {
  withSession(
      [&](RuntimeSession &session) {
        body(session);
        EXPECT_TRUE(standIn<int()>("tenonStandInHasFailed")());
      },
      {{"TENON_GPU_FAULT", order}});
}

TEST(GpuGraphs, ARefusedUpdateMakesAnotherGraph) {
  for (const char *function :
       {"cuGraphExecKernelNodeSetParams", "cuGraphExecMemcpyNodeSetParams",
        "cuGraphExecMemsetNodeSetParams"})
    withFault(std::string(function) + ":1:910", [](RuntimeSession &session) {
      for (int n : {8, 8, 9, 10, 11})
        EXPECT_EQ(runMixed(session, n), TENON_OK) << session.text();
      EXPECT_EQ(graphsMade(), 2);
      EXPECT_EQ(graphLaunches(), 1 + 2);
    });
}

TEST(GpuGraphs, WithoutGraphsWorkStillStarts) {
  withFault("cuGraphInstantiateWithFlags:1:2", [](RuntimeSession &session) {
    for (int n : {8, 8, 9, 10, 11})
      EXPECT_EQ(runMixed(session, n), TENON_OK) << session.text();
    EXPECT_EQ(graphsMade(), 1);
    EXPECT_EQ(graphLaunches(), 0);
  });
}

/// True if a run of `mixed` fails or has wrong values when one update is
/// skipped, so that a node keeps what it had.
bool isFound(const char *function, int number, int n) {
  std::string order = std::string(function) + ":" + std::to_string(number);
  return onDevice({{"TENON_GPU_FAULT", order + ":0"}}, [&] {
           RuntimeSession session;
           EXPECT_EQ(session.openAll(), TENON_OK);
           EXPECT_EQ(runMixed(session, 8), TENON_OK);
           EXPECT_EQ(runMixed(session, 8), TENON_OK);
           HostTensor<float> x = ramp(size_t(n));
           tenon_status status = session.run("mixed", {x});
           EXPECT_TRUE(standIn<int()>("tenonStandInHasFailed")());
           return status != TENON_OK || session.y != mixedOf(n);
         }) == 1;
}

TEST(GpuGraphs, WhatAnUpdateMissesIsFound) {
  // With 3000 elements all memory moves; with 9 only values and sizes change.
  for (int n : {9, 3000}) {
    EXPECT_TRUE(isFound("cuGraphExecKernelNodeSetParams", 1, n));
    EXPECT_TRUE(isFound("cuGraphExecMemsetNodeSetParams", 1, n));
    EXPECT_TRUE(isFound("cuGraphExecMemcpyNodeSetParams", 1, n) || n == 9);
    EXPECT_TRUE(isFound("cuGraphExecMemcpyNodeSetParams", 2, n));
  }
}

} // namespace
