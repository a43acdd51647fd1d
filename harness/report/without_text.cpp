// SPDX-License-Identifier: Apache-2.0
#include "harness/report/without_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::report {
namespace {

using TextlessJson = nlohmann::ordered_json;
using Words = std::set<std::string, std::less<>>;

constexpr std::size_t kMaxNesting = 100;

// Members of which stepbench alone writes the texts.
const Words& own_members() {
  static const Words kMembers = {"arm",
                                 "best",
                                 "build_id",
                                 "candidate_case_id",
                                 "case_id",
                                 "clock",
                                 "cohort_id",
                                 "config_hash",
                                 "data_digest",
                                 "design",
                                 "direction",
                                 "ended_utc",
                                 "evidence",
                                 "git.sha",
                                 "git_sha",
                                 "id",
                                 "metric",
                                 "next",
                                 "outcome",
                                 "pass",
                                 "phase",
                                 "plan_digest",
                                 "point_id",
                                 "result",
                                 "schema",
                                 "series_id",
                                 "severity",
                                 "shard",
                                 "spread",
                                 "stage",
                                 "started_utc",
                                 "state",
                                 "stepbench_version",
                                 "unit",
                                 "verdict",
                                 "version",
                                 "worker_build_id",
                                 "worker_id"};
  return kMembers;
}

const Words& machine_members() {
  static const Words kMembers = {"cpu.model",    "cpu_capability", "cuda_driver",
                                 "cuda_runtime", "cudnn",          "gpu.0",
                                 "gpu.driver",   "python",         "torch"};
  return kMembers;
}

// Below these the names of members are the user's.
bool is_left_out(std::string_view member) {
  return member == "labels" || member == "asked" || member.starts_with("env.") ||
         member.starts_with("label.");
}

Words listed_values(const Catalogue& catalogue) {
  Words words = {"cpu", "cuda"};
  const auto add = [&](const std::vector<Option>& options) {
    for (const Option& option : options) words.insert(option.choices.begin(), option.choices.end());
  };
  for (const Section& section : catalogue.sections) {
    add(section.options);
    for (const Variant& variant : section.variants) {
      words.insert(variant.name);
      add(variant.options);
    }
  }
  for (const WorkloadSpec& workload : catalogue.workloads) words.insert(workload.name);
  return words;
}

class TextRemover {
 public:
  explicit TextRemover(const Catalogue& catalogue) : listed_(listed_values(catalogue)) {}

  void remove_from(TextlessJson& json) {
    if (json.is_structured() && places_.size() > kMaxNesting) {
      throw ConfigError("--no-text", "the JSON is nested too deep");
    }
    if (json.is_array()) {
      TextlessJson kept = TextlessJson::array();
      for (TextlessJson& each : json) {
        if (each.is_string() && !is_kept(each)) continue;
        places_.push_back(place());
        remove_from(each);
        places_.pop_back();
        kept.push_back(std::move(each));
      }
      json = std::move(kept);
    } else if (json.is_object()) {
      TextlessJson kept = TextlessJson::object();
      for (auto& [member, value] : json.items()) {
        if (is_left_out(member)) continue;
        places_.push_back(member);
        if (!value.is_string() || is_kept(value)) {
          remove_from(value);
          kept[member] = std::move(value);
        }
        places_.pop_back();
      }
      json = std::move(kept);
    }
  }

 private:
  // Of an element that of its list.
  [[nodiscard]] std::string place() const { return places_.empty() ? "" : places_.back(); }

  [[nodiscard]] bool is_below(std::string_view member) const {
    return std::find(places_.begin(), places_.end(), member) != places_.end();
  }

  [[nodiscard]] bool is_kept(const TextlessJson& json) const {
    const std::string member = place();
    if (is_below("options") || is_below("effective") || member == "workload") {
      return listed_.contains(json.get_ref<const std::string&>());
    }
    if (is_below("environment") || is_below("machine") || is_below("fields")) {
      return machine_members().contains(member);
    }
    if (member == "name") return is_below("metrics") || is_below("gates");
    return own_members().contains(member);
  }

  Words listed_;
  std::vector<std::string> places_;
};

}  // namespace

std::string json_without_text(std::string_view json, const Catalogue& catalogue) {
  TextlessJson all = TextlessJson::parse(json, nullptr, false);
  if (all.is_discarded()) throw ConfigError("--no-text", "the source is no JSON");
  TextRemover(catalogue).remove_from(all);
  return all.dump() + '\n';
}

}  // namespace stepbench::report
