// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cpu_findings.h"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include "harness/base/format.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::machine {
namespace {

// The features that oneDNN checks on x86, and the scalable and NEON units of ARM.
constexpr std::array<std::string_view, 5> kBf16 = {"avx512_bf16", "amx_bf16", "avx_ne_convert",
                                                   "bf16", "svebf16"};
constexpr std::array<std::string_view, 4> kFp16 = {"avx512_fp16", "amx_fp16", "avx_ne_convert",
                                                   "asimdhp"};

bool is_x86(const std::set<std::string, std::less<>>& features) {
  return features.contains("sse2");
}

}  // namespace

std::set<std::string, std::less<>> cpu_features(const std::filesystem::path& root) {
  std::istringstream lines(os::read_text(root / "proc/cpuinfo").value_or(""));
  std::set<std::string, std::less<>> features;
  for (std::string line; features.empty() && std::getline(lines, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) features.insert(word);
  }
  return features;
}

std::optional<Finding> emulated_precision(std::string_view precision,
                                          const std::set<std::string, std::less<>>& features) {
  const bool bf16 = precision == "bf16";
  if ((!bf16 && precision != "fp16") || features.empty()) return std::nullopt;
  const std::span<const std::string_view> native =
      bf16 ? std::span<const std::string_view>(kBf16) : std::span<const std::string_view>(kFp16);
  if (std::any_of(native.begin(), native.end(),
                  [&](std::string_view each) { return features.contains(each); })) {
    return std::nullopt;
  }
  const std::string name(precision);
  std::string text =
      formatted("this CPU computes {} in software: it has no instructions for it", name);
  if (is_x86(features)) {
    text += bf16 ? " (avx512_bf16 or amx_bf16)" : " (avx512_fp16 or amx_fp16)";
  }
  return Finding{.id = "model.emulated_precision",
                 .severity = Severity::kWarning,
                 .text = std::move(text),
                 .value = 0,
                 .threshold = 1,
                 .unit = "instruction sets",
                 .evidence = {"forward_ns", "backward_ns"},
                 .remedy = formatted("Expect {} to be slower than fp32 here, and its time to say "
                                     "nothing about other hardware.",
                                     name),
                 .set = {{.option = "model.precision", .value = "fp32"}}};
}

std::optional<Finding> crowded_threads(std::int64_t intra_op, std::int64_t cores) {
  if (intra_op <= std::max<std::int64_t>(cores, 1)) return std::nullopt;
  return Finding{
      .id = "threads.oversubscribed",
      .severity = Severity::kWarning,
      .text = formatted(
          "{} share each operation, on {}: an operation ends when its last thread has had its turn",
          text::counted(intra_op, "thread"), text::counted(cores, "core")),
      .value = static_cast<double>(intra_op),
      .threshold = static_cast<double>(cores),
      .unit = "threads",
      .evidence = {"forward_ns", "backward_ns", "window_run_queue_wait_ns"},
      .remedy = "No more threads than cores; fewer where workers of a loader need some.",
      .set = {{.option = "threads.intra_op", .value = std::to_string(cores)}}};
}

std::optional<Finding> bound_cpus(const std::vector<int>& at_start, const std::vector<int>& now) {
  const auto had = std::ssize(at_start);
  const auto left = std::ranges::count_if(
      at_start, [&](int cpu) { return std::ranges::find(now, cpu) != now.end(); });
  if (left == had || now.empty()) return std::nullopt;
  return Finding{
      .id = "script.cpus",
      .severity = Severity::kProblem,
      .text = formatted("the training thread may use {} of the {} CPUs that the process had when "
                        "it started: the code that it runs, or what that imports, bound it",
                        left, had),
      .value = static_cast<double>(left),
      .threshold = static_cast<double>(had),
      .unit = "CPUs",
      .evidence = {"step_ns", "data_wait_ns"},
      .remedy =
          "Workers and threads that it starts are bound alike: "
          "os.sched_setaffinity(0, range(os.cpu_count())) behind the imports, or "
          "the library's own setting (OMP_PROC_BIND=false, "
          "KMP_AFFINITY=disabled)."};
}

}  // namespace stepbench::machine
