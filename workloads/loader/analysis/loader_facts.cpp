// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/loader_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/process_tree.h"
#include "harness/os/text_file.h"
#include "workloads/loader/make_loader.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

std::int64_t to_ns(const timeval& time) {
  return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

void add_usage(int who, WindowFacts& facts) {
  rusage now{};
  ::getrusage(who, &now);
  facts.user_ns += to_ns(now.ru_utime);
  facts.system_ns += to_ns(now.ru_stime);
  facts.minor_faults += now.ru_minflt;
  facts.major_faults += now.ru_majflt;
  facts.voluntary_switches += now.ru_nvcsw;
  facts.involuntary_switches += now.ru_nivcsw;
}

// What a child has used that lives: when it is reaped, the same amounts stand in RUSAGE_CHILDREN.
// Fields of /proc/N/stat behind the name, counted from the state (proc_pid_stat(5) less three).
void add_living_child(pid_t pid, WindowFacts& facts) {
  constexpr std::size_t kMinorFaults = 7;
  constexpr std::size_t kMajorFaults = 9;
  constexpr std::size_t kUserTicks = 11;
  constexpr std::size_t kSystemTicks = 12;
  const fs::path process = fs::path("/proc") / std::to_string(pid);
  const std::string stat = read_text(process / "stat").value_or("");
  const std::size_t close = stat.rfind(')');
  if (close == std::string::npos) return;
  const auto words = split_words(std::string_view(stat).substr(close + 1));
  if (words.size() <= kSystemTicks) return;
  const auto number = [&](std::size_t word) { return parse_integer(words[word]).value_or(0); };
  const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  facts.minor_faults += number(kMinorFaults);
  facts.major_faults += number(kMajorFaults);
  facts.user_ns += number(kUserTicks) * tick_ns;
  facts.system_ns += number(kSystemTicks) * tick_ns;
  const std::string status = read_text(process / "status").value_or("");
  const auto switches = [&](std::string_view name) {
    return parse_integer(find_field(status, name).value_or("")).value_or(0);
  };
  facts.voluntary_switches += switches("voluntary_ctxt_switches");
  facts.involuntary_switches += switches("nonvoluntary_ctxt_switches");
}

}  // namespace

std::int64_t count_descriptors() {
  std::error_code error;
  const fs::directory_iterator entries("/proc/self/fd", error);
  return error ? 0 : std::distance(begin(entries), end(entries)) - 1;  // but for the iterator's own
}

void WindowFacts::add_span(const WindowFacts& begin, const WindowFacts& end) {
  elapsed_ns += end.elapsed_ns - begin.elapsed_ns;
  user_ns += end.user_ns - begin.user_ns;
  system_ns += end.system_ns - begin.system_ns;
  minor_faults += end.minor_faults - begin.minor_faults;
  major_faults += end.major_faults - begin.major_faults;
  voluntary_switches += end.voluntary_switches - begin.voluntary_switches;
  involuntary_switches += end.involuntary_switches - begin.involuntary_switches;
  open_descriptors = end.open_descriptors;
}

WindowFacts read_window_facts(const Clock& clock) {
  WindowFacts facts;
  add_usage(RUSAGE_SELF, facts);
  add_usage(RUSAGE_CHILDREN, facts);
  for (const pid_t child : children_of("/", ::getpid())) add_living_child(child, facts);
  facts.elapsed_ns = clock.now_ns();
  return facts;
}

LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                         const WindowFacts& window) {
  const auto text = [&](std::string_view name) {
    return resolved.has(name) ? resolved.text(name) : std::string();
  };
  return {.engine = text("loader.engine"),
          .transport = text("loader.transport"),
          .options = loader_options(resolved),
          .may_decode_faster = text("data.decode") == "exact",
          .cores = cores_in_affinity("/"),
          .measured = measured,
          .window = window};
}

}  // namespace stepbench
