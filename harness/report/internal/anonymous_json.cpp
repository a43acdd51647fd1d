// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"

namespace stepbench::report {
namespace {

using json::JsonView;
using Words = std::set<std::string, std::less<>>;

constexpr std::size_t kMaxNesting = 100;

Words words_of(const std::string& list) {
  std::istringstream words(list);
  return Words(std::istream_iterator<std::string>(words), {});
}

// Members whose text is always written by stepbench.
const Words& own_members() {
  static const Words kMembers = words_of(
      "arm best build_id candidate_case_id case_id clock cohort_id config_hash data_digest "
      "design direction ended_utc evidence git.sha git_sha id metric next outcome pass "
      "phase plan_digest point_id result schema series_id severity shard spread stage "
      "started_utc state stepbench_version unit verdict version worker_build_id worker_id");
  return kMembers;
}

const Words& machine_members() {
  static const Words kMembers = words_of(
      "cpu.model cpu_capability cuda_driver cuda_runtime cudnn gpu.0 gpu.driver python "
      "torch");
  return kMembers;
}

// Member names below these are chosen by the user.
bool is_omitted(std::string_view member) {
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

  // Writes the parts of it that are kept.
  void keep(const JsonView& json) {
    const auto elements = json.elements();
    const auto object = json.object();
    if ((elements || object) && places_.size() > kMaxNesting) {
      throw ConfigError("--no-text", "the JSON is nested too deep");
    }
    if (elements) {
      text_ += '[';
      for (const JsonView& each : *elements) {
        const auto text = each.text();
        if (!text || is_kept(*text)) keep_in(place(), each, "");
      }
      text_ += ']';
    } else if (object) {
      text_ += '{';
      for (const auto& [member, value] : object->members()) {
        if (is_omitted(member)) continue;
        places_.emplace_back(member);
        const auto text = value.text();
        const bool kept = !text || is_kept(*text);
        places_.pop_back();
        if (kept) keep_in(std::string(member), value, json::json_string(member) + ':');
      }
      text_ += '}';
    } else {
      text_ += json.json();
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void keep_in(std::string place, const JsonView& json, const std::string& key) {
    if (text_.back() != '{' && text_.back() != '[') text_ += ',';
    text_ += key;
    places_.push_back(std::move(place));
    keep(json);
    places_.pop_back();
  }

  // Name of the innermost member; for list elements that of the list.
  [[nodiscard]] std::string place() const { return places_.empty() ? "" : places_.back(); }

  [[nodiscard]] bool is_below(std::string_view member) const {
    return std::ranges::find(places_, member) != places_.end();
  }

  [[nodiscard]] bool is_kept(std::string_view text) const {
    const std::string member = place();
    if (is_below("options") || is_below("effective") || member == "workload") {
      return listed_.contains(text);
    }
    if (is_below("environment") || is_below("machine") || is_below("fields")) {
      return machine_members().contains(member);
    }
    if (member == "name") return is_below("metrics") || is_below("gates");
    return own_members().contains(member);
  }

  Words listed_;
  std::vector<std::string> places_;
  std::string text_;
};

}  // namespace

std::string json_without_text(std::string_view json, const Catalogue& catalogue) {
  json::LineParser parser;
  const auto all = parser.parse_value(json);
  if (!all) throw ConfigError("--no-text", "the source is not JSON");
  TextRemover remover(catalogue);
  remover.keep(*all);
  return remover.take() + '\n';
}

}  // namespace stepbench::report
