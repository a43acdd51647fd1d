// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output.h"

#include <algorithm>

#include "harness/os/text_file.h"
#include "harness/text/utf8.h"

namespace stepbench::run {

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
  std::string text = text::to_valid_utf8(first_);
  if (left_out > 0) text += "\n[" + std::to_string(left_out) + " bytes left out]\n";
  return text + text::to_valid_utf8(last);
}

std::string OutputTail::last_words() const {
  constexpr std::size_t kLastWordsBytes = 300;
  const std::string all = text();
  const std::string_view lines = os::trim(all);
  const std::string_view last = lines.substr(lines.rfind('\n') + 1);
  return last.empty() ? "" : ": " + text::to_valid_utf8(last.substr(0, kLastWordsBytes));
}

}  // namespace stepbench::run
