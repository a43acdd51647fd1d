// SPDX-License-Identifier: Apache-2.0
#include "harness/json/alike_options.h"

#include <algorithm>
#include <utility>

namespace stepbench::json {

OptionValues AlikeOptions::read(const LineObject& source, std::string_view field) {
  constexpr std::size_t kMaxKnownBatchSizes = 8;
  for (auto known = known_.begin(); known != known_.end(); ++known) {
    if (auto options = source.options_like(*known, field)) {
      std::rotate(known_.begin(), known, known + 1);
      return std::move(*options);
    }
  }
  OptionValues options(source.fields(field));
  if (options.empty()) return options;
  options.share();
  if (known_.size() == kMaxKnownBatchSizes) known_.pop_back();
  known_.insert(known_.begin(), options);
  return options;
}

}  // namespace stepbench::json
