// Blocks of instructions in a topological order of the graph without the edges
// that close loops; of blocks that may come next, the first in the text does.
#include "test/gpu/emulator/MeetingOrder.h"

#include <functional>
#include <map>
#include <queue>
#include <set>

namespace tenon::ptx {
namespace {
struct Graph {
  std::vector<uint32_t> begins; ///< of blocks; the last is the end
  std::vector<std::vector<uint32_t>> next;

  size_t blocks() const { return next.size(); }
};

Graph graphOf(uint32_t count, const std::vector<Jump> &jumps) {
  std::set<uint32_t> begins = {0, count};
  std::map<uint32_t, const Jump *> jumpAt;
  for (const Jump &jump : jumps) {
    begins.insert(jump.from + 1);
    begins.insert(jump.targets.begin(), jump.targets.end());
    jumpAt[jump.from] = &jump;
  }
  Graph graph;
  std::map<uint32_t, uint32_t> blockAt;
  for (uint32_t begin : begins) {
    blockAt[begin] = uint32_t(graph.begins.size());
    graph.begins.push_back(begin);
  }
  graph.next.resize(graph.begins.size());
  for (uint32_t block = 0; block + 1 < graph.blocks(); ++block) {
    auto found = jumpAt.find(graph.begins[block + 1] - 1);
    if (found == jumpAt.end() || found->second->mayGoOn)
      graph.next[block].push_back(block + 1);
    if (found != jumpAt.end())
      for (uint32_t target : found->second->targets)
        graph.next[block].push_back(blockAt[target]);
  }
  return graph;
}

/// Removes edges to a block that the search has entered and not yet left.
void openLoops(Graph &graph) {
  enum class Mark : uint8_t { New, Entered, Left };
  std::vector<Mark> marks(graph.blocks(), Mark::New);
  std::vector<std::pair<uint32_t, size_t>> path;
  for (uint32_t root = 0; root < graph.blocks(); ++root) {
    if (marks[root] == Mark::New)
      path.push_back({root, 0});
    while (!path.empty()) {
      auto &[block, edge] = path.back();
      marks[block] = Mark::Entered;
      auto &next = graph.next[block];
      if (edge == next.size()) {
        marks[block] = Mark::Left;
        path.pop_back();
      } else if (marks[next[edge]] == Mark::Entered) {
        next.erase(next.begin() + std::ptrdiff_t(edge));
      } else {
        uint32_t to = next[edge++];
        if (marks[to] == Mark::New)
          path.push_back({to, 0});
      }
    }
  }
}
} // namespace

std::vector<uint32_t> meetingOrder(uint32_t count,
                                   const std::vector<Jump> &jumps) {
  Graph graph = graphOf(count, jumps);
  openLoops(graph);
  std::vector<uint32_t> edgesTo(graph.blocks());
  for (const auto &next : graph.next)
    for (uint32_t to : next)
      ++edgesTo[to];
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t block = 0; block < graph.blocks(); ++block)
    if (edgesTo[block] == 0)
      ready.push(block);
  std::vector<uint32_t> ranks(count + 1);
  for (uint32_t rank = 0; !ready.empty();) {
    uint32_t block = ready.top();
    ready.pop();
    uint32_t end =
        block + 1 < graph.blocks() ? graph.begins[block + 1] : count + 1;
    for (uint32_t place = graph.begins[block]; place < end; ++place)
      ranks[place] = rank++;
    for (uint32_t to : graph.next[block])
      if (--edgesTo[to] == 0)
        ready.push(to);
  }
  return ranks;
}

} // namespace tenon::ptx
