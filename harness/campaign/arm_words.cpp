// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/arm_words.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/plan/option_index.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

std::vector<std::string> names_set_by(const AbArm& arm) {
  std::vector<std::string> names;
  const plan::OptionIndex index(arm.catalogue);
  for (const std::string& one : arm.set) {
    names.push_back(index.resolve(one.substr(0, one.find('='))));
  }
  return names;
}

// Value of an option in the cases of this arm; nullopt: it differs between them.
std::optional<std::string> value_in(const AbArm& arm, std::size_t cases, const std::string& name) {
  std::set<std::string> values;
  for (std::size_t i = 0; i < std::max<std::size_t>(cases, 1) && i < arm.plan.cases.size(); ++i) {
    const Value* value = arm.plan.cases[i].resolved.options.get(name);
    const std::string text = value == nullptr || is_null(*value) ? std::string() : to_text(*value);
    values.insert(text::is_secret_option(name) && !text.empty() ? text::masked_value(text) : text);
  }
  if (values.size() != 1) return std::nullopt;
  return *values.begin();
}

// Respects that an option may have a different default in a variant of its section.
bool is_default(const AbArm& arm, std::size_t cases, const std::string& name,
                const std::string& value) {
  const Option* option = arm.catalogue.find_option(name);
  if (option == nullptr) return false;
  const std::string section = name.substr(0, name.find('.'));
  const Section* in = arm.catalogue.find_section(section);
  const auto variant = in == nullptr || in->selector.empty()
                           ? std::nullopt
                           : value_in(arm, cases, section + '.' + in->selector);
  return to_text(default_of(*option, variant.value_or(""))) == value;
}

// `source`: "file" or "command".
std::string setting_words(const AbArm& arm, std::size_t cases, const std::string& name,
                          const std::string& source) {
  const auto value = value_in(arm, cases, name);
  if (!value) return name + " as the " + source + " says";
  if (value->empty()) return name + " unset";
  const std::vector<std::string> own = names_set_by(arm);
  if (std::find(own.begin(), own.end(), name) != own.end()) return name + '=' + *value;
  return name + '=' + *value +
         (is_default(arm, cases, name, *value) ? " (default)" : " (from the " + source + ')');
}

std::string worker_words(const std::string& given) {
  return given.empty() ? "the built-in worker" : "worker " + given;
}

}  // namespace

ArmWords arm_words(const ArmsRequest& request, const AbArms& arms) {
  std::vector<std::string> names = names_set_by(arms.a);
  for (const std::string& name : names_set_by(arms.b)) names.push_back(name);
  std::vector<std::string> a;
  std::vector<std::string> b;
  if (arms.a.worker.path != arms.b.worker.path) {
    a.push_back(worker_words(request.a));
    b.push_back(worker_words(request.b));
  }
  const std::string source = request.text ? "command" : "file";
  std::set<std::string> listed;
  for (const std::string& name : names) {
    if (!listed.insert(name).second) continue;
    a.push_back(setting_words(arms.a, arms.points.size(), name, source));
    b.push_back(setting_words(arms.b, arms.points.size(), name, source));
  }
  if (a.empty()) return {"as the " + source + " says", "as the " + source + " says"};
  return {text::join(a, " "), text::join(b, " ")};
}

bool same_arms(const AbArms& arms) {
  if (arms.a.worker.build_id != arms.b.worker.build_id || arms.points.empty()) return false;
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    const auto& a = arms.a.plan.cases[i].resolved.options;
    const auto& b = arms.b.plan.cases[i].resolved.options;
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
  }
  return true;
}

std::string same_arms_text(const AbArms& arms) {
  std::string text = "both arms are the same program with the same options";
  if (!arms.b.set.empty()) {
    text += " (" + text::join(arms.b.set) + " changes nothing)";
  } else if (!arms.a.set.empty()) {
    text += " (" + text::join(arms.a.set) + " changes nothing)";
  }
  return text + ": this A/A run can show how much equal launches differ, and no change";
}

}  // namespace stepbench::campaign
