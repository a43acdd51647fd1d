// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "harness/compare/judge.h"

namespace stepbench::compare {

std::string_view describe(TestReason reason) {
  constexpr EnumNames<11> kWords = {"",
                                    "too few pairs",
                                    "may be chance",
                                    "perhaps within the margin",
                                    "the mean may be beyond the margin",
                                    "",
                                    "a count that varies between launches",
                                    "counted exactly",
                                    "no pair was measured",
                                    "no pair has a usable value",
                                    "too many pairs lack a value"};
  return kWords.at(static_cast<std::size_t>(reason));
}

}  // namespace stepbench::compare
