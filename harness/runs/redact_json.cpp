// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/redact_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "harness/text/secrets.h"

namespace stepbench::runs {
namespace {

using Json = nlohmann::ordered_json;

// Members whose texts are ids, digests, times and names of ours.
const KnownWords& structural_members() {
  static const KnownWords kMembers = {"arm",
                                      "build_id",
                                      "candidate_case_id",
                                      "case_id",
                                      "columns",
                                      "config_hash",
                                      "data_digest",
                                      "design",
                                      "direction",
                                      "ended_utc",
                                      "evidence",
                                      "field",
                                      "flags",
                                      "git.sha",
                                      "id",
                                      "kind",
                                      "metric",
                                      "non_finite",
                                      "option",
                                      "outcome",
                                      "pass",
                                      "plan_digest",
                                      "point_id",
                                      "role",
                                      "schema",
                                      "severity",
                                      "shard",
                                      "source",
                                      "stage",
                                      "started_utc",
                                      "state",
                                      "stop_reason",
                                      "swept",
                                      "stepbench_version",
                                      "table",
                                      "unit",
                                      "verdict",
                                      "version",
                                      "warmup_verdict",
                                      "worker_build_id",
                                      "worker_id",
                                      "workload"};
  return kMembers;
}

// Facts of a worker's environment.
const KnownWords& environment_members() {
  static const KnownWords kMembers = {"compiler",     "cpu.affinity",
                                      "cpu.governor", "cpu.model",
                                      "cpu.smt",      "cpu.turbo",
                                      "cudnn",        "cuda_driver",
                                      "cuda_runtime", "gpu.0",
                                      "gpu.driver",   "cpu_capability",
                                      "kernel",       "memory.thp",
                                      "mkl",          "numa.nodes",
                                      "numpy",        "onednn",
                                      "openmp",       "os",
                                      "python",       "python.implementation",
                                      "torch",        "torchvision"};
  return kMembers;
}

bool is_plain_setting(const std::string& text) {
  static const KnownWords kSwitches = {"",   "true", "false", "True", "False", "on",
                                       "ON", "off",  "OFF",   "yes",  "no"};
  return kSwitches.contains(text) || text.starts_with(text::kMask) ||
         text.find_first_not_of("0123456789,") == std::string::npos;
}

// In the table of what operations cost: theirs, kinds of rows, phases and shapes.
bool is_operation(const std::string& text) {
  constexpr std::array<std::string_view, 9> kBegins = {"aten::", "autograd::", "cuda",
                                                       "cudnn",  "Memcpy ",    "Memset",
                                                       "nccl:",  "void at::",  "ProfilerStep"};
  static const KnownWords kKinds = {"op",      "annotation", "call",           "device",
                                    "memory",  "kernel",     "memcpy",         "memset",
                                    "runtime", "driver",     "synchronization"};
  return kKinds.contains(text) || text.find_first_not_of("0123456789[], ") == std::string::npos ||
         std::ranges::any_of(kBegins,
                             [&](std::string_view each) { return text.starts_with(each); });
}

// Where a text stands: the members around it, the innermost last; of an element, those of its list.
using Place = std::vector<std::string>;

bool is_kept(const Place& place, const std::string& text, const KnownWords& known) {
  if (place.empty()) return is_plain_setting(text);
  const std::string& member = place.back();
  const auto below = [&](std::string_view outer) {
    return std::find(place.begin(), place.end(), outer) != place.end();
  };
  const bool of_options = below("options") || below("effective") || below("set");
  if (of_options) return is_plain_setting(text) || member == "option" || known.contains(text);
  if (below("labels") || below("asked")) return is_plain_setting(text);
  if (below("context") && (member.starts_with("ab_") || member.ends_with("_build_id") ||
                           member.ends_with("_data_digest"))) {
    return true;
  }
  if (structural_members().contains(member) || is_plain_setting(text)) return true;
  if (below("environment")) {
    constexpr std::size_t kGpuName = 5;  // "gpu.0"
    return environment_members().contains(member) ||
           (member.starts_with("gpu.") && member.size() == kGpuName);
  }
  if (member == "name") return below("columns") || below("metrics") || below("gates");
  if (member == "doc" || member == "strings") {
    return known.contains(text) || (member == "strings" && is_operation(text));
  }
  return false;
}

constexpr std::size_t kMaxDepth = 500;

// False where it is nested too deep.
bool redact(Json& json, Place& place, std::size_t depth, const KnownWords& known, Tokens& tokens) {
  if (depth > kMaxDepth) return false;
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (!is_kept(place, text, known)) json = tokens.token(text);
  } else if (json.is_array()) {
    for (Json& each : json) {
      if (!redact(each, place, depth + 1, known, tokens)) return false;
    }
  } else if (json.is_object()) {
    for (auto& [key, value] : json.items()) {
      place.push_back(key);
      if (!redact(value, place, depth + 1, known, tokens)) return false;
      place.pop_back();
    }
  }
  return true;
}

}  // namespace

const std::string& Tokens::token(const std::string& original) {
  const auto [at, is_new] = tokens_.try_emplace(original);
  if (is_new) {
    at->second = "<text" + std::to_string(tokens_.size()) + '>';
    replaced_.push_back({original, at->second});
  }
  return at->second;
}

std::optional<std::string> redact_json(std::string_view text, const KnownWords& known,
                                       Tokens& tokens) {
  Json json = Json::parse(text, nullptr, false);
  Place place;
  if (json.is_discarded() || !redact(json, place, 0, known, tokens)) return std::nullopt;
  return json.dump();
}

}  // namespace stepbench::runs
