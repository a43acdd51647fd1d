// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/case_label.h"

namespace stepbench {

std::string case_label(const Plan& plan, const ResolvedCase& resolved) {
  std::string label;
  for (const std::string& name : plan.varying) {
    const Value* value = resolved.options.get(name);
    if (value == nullptr || is_null(*value)) continue;
    label += (label.empty() ? "" : " ") + name.substr(name.rfind('.') + 1) + "=" + to_text(*value);
  }
  return label;
}

}  // namespace stepbench
