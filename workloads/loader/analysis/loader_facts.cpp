// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/loader_facts.h"

#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <span>
#include <system_error>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/process_tree.h"
#include "workloads/loader/make_loader.h"

namespace stepbench::loader {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::int64_t count_descriptors() {
  std::error_code error;
  const fs::directory_iterator entries("/proc/self/fd", error);
  return error ? 0 : std::distance(begin(entries), end(entries)) - 1;  // minus the iterator's own
}

void WindowFacts::add_span(const WindowFacts& begin, const WindowFacts& end) {
  elapsed_ns += end.elapsed_ns - begin.elapsed_ns;
  used += end.used - begin.used;
  open_descriptors = end.open_descriptors;
}

WindowFacts read_window_facts(const Clock& clock) {
  WindowFacts facts;
  facts.used = os::current_usage() + os::usage_of_ended_children();
  const std::vector<pid_t> tree = machine::process_tree("/", ::getpid());
  for (const pid_t process : std::span(tree).subspan(1)) facts.used += os::usage_of(process);
  facts.elapsed_ns = clock.now_ns();
  return facts;
}

LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                         const WindowFacts& window) {
  return {.engine = resolved.text_or("loader.engine", ""),
          .transport = resolved.text_or("loader.transport", ""),
          .options = loader_options(resolved),
          .may_decode_faster = resolved.text_or("data.decode", "") == "exact",
          .cores = machine::usable_cores("/"),
          .machine_cores = static_cast<double>(machine::cores_in_affinity("/")),
          .all_cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)),
          .has_other_ranks = resolved.integer_or("distributed.ranks", 1) > 1,
          .pads_to_longest = resolved.text_or("data.padding", "longest") == "longest",
          .measured = measured,
          .window = window,
          .offers = [&resolved](std::string_view option) { return resolved.has(option); }};
}

}  // namespace stepbench::loader
