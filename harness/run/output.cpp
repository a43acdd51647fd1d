// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output.h"

#include <algorithm>

namespace stepbench {
namespace {

// Length of the well-formed UTF-8 character at the front, 0 when there is none.
std::size_t character_length(std::string_view bytes) {
  const auto at = [&](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || bytes.size() < length) return 0;
  for (std::size_t index = 1; index < length; ++index) {
    if ((at(index) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
  const bool surrogate = lead == 0xED && at(1) >= 0xA0;
  const bool beyond = lead == 0xF4 && at(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

void OutputTail::append(std::string_view bytes) {
  total_bytes_ += bytes.size();
  const std::size_t head = std::min(bytes.size(), keep_bytes_ - first_.size());
  first_ += bytes.substr(0, head);
  bytes.remove_prefix(head);
  if (bytes.size() > keep_bytes_) bytes.remove_prefix(bytes.size() - keep_bytes_);
  last_ += bytes;
  if (last_.size() > 2 * keep_bytes_) last_.erase(0, last_.size() - keep_bytes_);
}

std::string OutputTail::text() const {
  std::string_view last = last_;
  if (last.size() > keep_bytes_) last.remove_prefix(last.size() - keep_bytes_);
  const std::uint64_t left_out = total_bytes_ - first_.size() - last.size();
  std::string text = to_valid_utf8(first_);
  if (left_out > 0) text += "\n[" + std::to_string(left_out) + " bytes left out]\n";
  return text + to_valid_utf8(last);
}

}  // namespace stepbench
