// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/mistakes.h"

#include <algorithm>
#include <cstddef>

#include "harness/base/error.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxMistakesShown = 20;

}  // namespace

void Mistakes::add(std::string where, std::string what) {
  std::pair mistake(std::move(where), std::move(what));
  if (std::find(mistakes_.begin(), mistakes_.end(), mistake) == mistakes_.end()) {
    mistakes_.push_back(std::move(mistake));
  }
  if (mistakes_.size() >= kMaxMistakesShown) throw_if_any();
}

void Mistakes::throw_if_any() const {
  if (mistakes_.empty()) return;
  std::string what = mistakes_.front().second;
  for (std::size_t i = 1; i < mistakes_.size(); ++i) {
    what += "\n" + mistakes_[i].first + ": " + mistakes_[i].second;
  }
  throw ConfigError(mistakes_.front().first, what);
}

}  // namespace stepbench
