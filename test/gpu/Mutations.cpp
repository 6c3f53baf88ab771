// Each kind of mistake is a function of a line: it changes the line if it is of
// the kind's statements.
#include "test/gpu/Mutations.h"

#include <regex>
#include <sstream>

namespace tenon::test {
namespace {
/// Replaces what `pattern` matches. The length stays: shorter texts are filled
/// with spaces.
bool replace(std::string &line, const char *pattern, const char *by) {
  std::smatch match;
  std::regex regex(pattern);
  if (!std::regex_search(line, match, regex))
    return false;
  std::string made = match.format(by);
  if (made.size() > size_t(match.length()))
    return false;
  made.resize(size_t(match.length()), ' ');
  line.replace(size_t(match.position()), made.size(), made);
  return true;
}

struct Kind {
  const char *what;
  bool mustBeFound;
  /// How many places of a kernel are changed, from the first one on; 0: all.
  unsigned most;
  const char *pattern, *by;
};

const Kind kinds[] = {
    {"a barrier is left out", true, 0, R"(bar(rier)?\.sync\s+0;)", ""},
    {"a wait for copies is left out", true, 0,
     R"(cp\.async\.wait_(group\s+\d+|all);)", ""},
    {"a wait lets one copy more go on", true, 0, R"((wait_group\s+)0;)",
     "$011;"},
    {"a shuffle takes the own lane's value", false, 0,
     R"((shfl\.sync\.bfly[^;]*, )(16|8|4|2|1)(, 31, ))", "$010$03"},
    {"a shuffle's mask leaves lanes out", true, 0,
     R"((shfl\.sync\.[^;]*, )-1;)", "$017;"},
    {"a store to shared memory is left out", true, 3, R"(st\.shared\.[^;]*;)",
     ""},
    {"a store to global memory is left out", false, 2, R"(st\.global\.[^;]*;)",
     ""},
    {"an address is not aligned", true, 2,
     R"(((ld|st)\.(global|shared)\.(v2\.|v4\.)?\w(32|64)\s[^+;]*\+\d*)\d\])",
     "$011]"},
    {"threads are numbered by another dimension", false, 1, R"(%tid\.x)",
     "%tid.y"},
};
} // namespace

std::vector<Mutation> mutationsOf(const std::string &text) {
  std::vector<Mutation> made;
  std::istringstream stream(text);
  std::vector<unsigned> counts(std::size(kinds));
  size_t start = 0;
  int number = 0;
  for (std::string line; std::getline(stream, line); start += line.size() + 1) {
    ++number;
    if (line.find(".entry") != std::string::npos)
      counts.assign(counts.size(), 0);
    for (size_t i = 0; i < std::size(kinds); ++i) {
      const Kind &kind = kinds[i];
      std::string changed = line;
      if ((kind.most && counts[i] == kind.most) ||
          !replace(changed, kind.pattern, kind.by) || changed == line)
        continue;
      ++counts[i];
      std::string all = text;
      all.replace(start, line.size(), changed);
      std::string trap = "trap;", trapped = text;
      trap.resize(line.size(), ' ');
      trapped.replace(start, line.size(), trap);
      made.push_back({"line " + std::to_string(number) + ": " + kind.what,
                      kind.mustBeFound, all, trapped});
    }
  }
  return made;
}

} // namespace tenon::test
