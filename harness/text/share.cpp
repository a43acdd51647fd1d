// SPDX-License-Identifier: Apache-2.0
#include "harness/text/share.h"

#include <charconv>
#include <system_error>

namespace stepbench::text {

std::optional<double> parse_share(std::string_view text) {
  double value = 0;
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double share = percent ? value / 100 : value;
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1)) {
    return std::nullopt;
  }
  return share;
}

}  // namespace stepbench::text
