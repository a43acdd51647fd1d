// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/analysis_words.h"

#include <functional>
#include <map>

namespace stepbench::report {

std::string words_of_window(traces::WindowKind window) {
  constexpr EnumNames<5> kWords = {
      "from a ProfilerStep's start to the next one's",
      "from the first to the last row of the host's ops and the devices",
      "from the first to the last row of the devices", "from one fetch of data to the next",
      "from one row of a repeated annotation to the next"};
  return std::string(name_of(window)) + ": " + std::string(kWords.at(std::size_t(window)));
}

std::string window_subtitle(std::string_view window) { return "window " + std::string(window); }

std::string words_of_part(std::string_view part, traces::IdleScope scope) {
  static const std::map<std::string_view, std::string, std::less<>> kWords = {
      {"compute", "compute"},
      {"communication", "communication, not hidden"},
      {"copy", "copies, not hidden"},
      {"idle_data_loading", "loading data"},
      {"idle_synchronise", "synchronising"},
      {"idle_copy_call", "call that copies"},
      {"idle_launch", "call of the runtime"},
      {"idle_backward", "backward"},
      {"idle_host_op", "operator on the host"},
      {"idle_other_thread", "other thread"},
      {"idle_unattributed", "nothing recorded"}};
  const auto found = kWords.find(part);
  if (found == kWords.end()) return std::string(part);
  const bool on_host = scope == traces::IdleScope::kHost;
  if (on_host && part == "idle_host_op") return "operators";
  return (!on_host && part.starts_with("idle_") ? "idle: " : "") + found->second;
}

}  // namespace stepbench::report
