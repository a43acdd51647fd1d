// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/no_effect.h"

#include <algorithm>

#include "harness/text/words.h"

namespace stepbench::plan {

std::string text_of(const Requires& need) {
  switch (need.op) {
    case Requires::Op::kEqual:
      return need.option + ": " + to_text(need.value);
    case Requires::Op::kNotEqual:
      return need.option + " other than " + to_text(need.value);
    case Requires::Op::kGreater:
      return need.option + " > " + to_text(need.value);
  }
  return {};
}

std::string text_of(const NoEffect& no_effect) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_need;
  for (const auto& [option, without] : no_effect) {
    auto found = std::ranges::find(by_need, without, &decltype(by_need)::value_type::first);
    if (found == by_need.end()) found = by_need.insert(found, {without, {}});
    found->second.push_back(option);
  }
  return text::join(by_need, "; ", [](const auto& need) {
    return text::join_and(need.second) + " without " + need.first;
  });
}

}  // namespace stepbench::plan
