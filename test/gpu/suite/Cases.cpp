// A worker process runs cases one after another, so that a driver's context is
// made once for many. A case that crashes, takes too long or loses the device
// ends its worker; the next one continues behind it.
#include "test/gpu/suite/Cases.h"

#include "test/gpu/suite/Session.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tenon::suite {
namespace {

std::vector<fs::path> entriesOf(const fs::path &folder, const char *start) {
  std::vector<fs::path> entries;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().rfind(start, 0) == 0)
      entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<TensorFile> readInputs(const fs::path &set,
                                   const tenon_function_desc &function) {
  std::vector<TensorFile> inputs(size_t(function.num_inputs));
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string error;
    if (!conformance::readTensorFile(
            set / ("input_" + std::to_string(i) + ".pb"), inputs[i], error))
      throw std::runtime_error(error);
    conformance::reconcile(inputs[i], function.inputs[i]);
  }
  return inputs;
}

/// Runs a case; empty if the device gives the CPU's bits.
std::string runCase(const fs::path &folder) {
  try {
    Session cpu(folder / "model.so", nullptr, 1);
    Session device(folder / "model.so", "cuda", 1);
    for (const fs::path &set : entriesOf(folder, "test_data_set_")) {
      std::vector<TensorFile> inputs = readInputs(set, cpu.function());
      std::string found = difference(cpu.run(inputs), device.run(inputs));
      if (!found.empty())
        return set.filename().string() + ": " + found;
    }
    return "";
  } catch (const std::exception &error) {
    return error.what();
  }
}

/// A worker and the cases that are left for it.
struct Worker {
  std::vector<fs::path> cases;
  size_t done = 0;
  FILE *answers = nullptr;
  pid_t process = 0;
};

/// Writes a line for each case: empty if it passed, else the error.
[[noreturn]] void work(const Worker &worker, int output, int seconds) {
  FILE *answers = fdopen(output, "w");
  for (size_t i = worker.done; i < worker.cases.size(); ++i) {
    alarm(unsigned(seconds));
    std::string wrong = runCase(worker.cases[i]);
    std::replace(wrong.begin(), wrong.end(), '\n', ' ');
    std::fprintf(answers, "%s\n", wrong.c_str());
    std::fflush(answers);
    // A device that is lost stays lost in this process.
    if (!wrong.empty())
      break;
  }
  _exit(0);
}

void start(Worker &worker, int seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  std::fflush(stdout);
  worker.process = fork();
  if (worker.process < 0)
    throw std::runtime_error("no process");
  if (worker.process == 0) {
    close(ends[0]);
    work(worker, ends[1], seconds);
  }
  close(ends[1]);
  worker.answers = fdopen(ends[0], "r");
}

/// Takes the answers until the process ends; false if one was a failure.
void take(Worker &worker, Counts &counts) {
  auto fail = [&](const char *why) {
    ++counts.failed;
    std::printf("FAIL %s: %s\n", worker.cases[worker.done++].filename().c_str(),
                why);
  };
  char line[1024];
  bool hasFailed = false;
  while (!hasFailed && std::fgets(line, sizeof line, worker.answers)) {
    line[std::strcspn(line, "\n")] = 0;
    hasFailed = *line;
    if (hasFailed)
      fail(line);
    else
      ++counts.passed, ++worker.done;
  }
  std::fclose(worker.answers);
  int status = 0;
  waitpid(worker.process, &status, 0);
  if (WIFSIGNALED(status) && !hasFailed)
    fail(WTERMSIG(status) == SIGALRM ? "takes too long"
                                     : strsignal(WTERMSIG(status)));
  else if (!hasFailed && worker.done < worker.cases.size())
    fail("its process ended");
}
} // namespace

Counts runCases(const std::string &folder, const std::string &part, int jobs,
                int seconds) {
  std::vector<Worker> workers(size_t(std::max(jobs, 1)));
  size_t next = 0;
  for (const fs::path &entry : entriesOf(folder, ""))
    if (entry.filename().string().find(part) != std::string::npos)
      workers[next++ % workers.size()].cases.push_back(entry);
  Counts counts;
  for (bool more = true; more;) {
    more = false;
    for (Worker &worker : workers)
      if (worker.done < worker.cases.size())
        start(worker, seconds);
    for (Worker &worker : workers)
      if (worker.done < worker.cases.size()) {
        take(worker, counts);
        more = true;
      }
  }
  return counts;
}

} // namespace tenon::suite
