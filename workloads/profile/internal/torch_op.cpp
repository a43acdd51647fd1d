// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/torch_op.h"

namespace stepbench::profile {

void add_argument(const at::IValue& input, ShapeWords& words) {
  using Argument = ShapeWords::Argument;
  const auto one = [&](Argument kind, std::int64_t value) {
    words.add_argument(kind, {&value, 1});
  };
  if (input.isInt()) return one(Argument::kInteger, input.toInt());
  if (input.isBool()) return one(Argument::kTruth, input.toBool() ? 1 : 0);
  if (input.isIntList()) {
    const auto values = input.toIntVector();
    return words.add_argument(Argument::kList, values);
  }
  if (input.isBoolList()) {
    std::vector<std::int64_t> values;
    for (const bool value : input.toBoolList()) values.push_back(value ? 1 : 0);
    return words.add_argument(Argument::kTruths, values);
  }
  words.add_argument(Argument::kNone);
}

}  // namespace stepbench::profile
