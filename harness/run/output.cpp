// SPDX-License-Identifier: Apache-2.0
#include "harness/run/output.h"

#include <algorithm>

#include "harness/os/text_file.h"
#include "harness/text/utf8.h"

namespace stepbench::run {
namespace {

// "----------"
bool is_rule(std::string_view line) {
  constexpr std::size_t kShortest = 10;
  line = os::trim(line);
  return line.size() >= kShortest && line.find_first_not_of("-=*_#") == std::string_view::npos;
}

// Joins the first paragraph of a text into one line.
std::string first_paragraph(std::string_view text) {
  std::string words;
  text = os::trim(text);
  while (!text.empty()) {
    const std::string_view line = os::trim(text.substr(0, text.find('\n')));
    if (line.empty()) break;
    words += (words.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  while (words.ends_with(':') || words.ends_with('.')) words.pop_back();
  return words;
}

}  // namespace

std::string last_words(std::string_view output) {
  constexpr std::size_t kLastWordsBytes = 300;
  const auto last_line = [&] { return output.substr(output.rfind('\n') + 1); };
  std::string words;
  output = os::trim(output);
  if (is_rule(last_line())) {
    output.remove_suffix(last_line().size());
    std::string_view block = output;
    while (!output.empty() && !is_rule(last_line())) {
      output.remove_suffix(last_line().size());
      if (!output.empty()) output.remove_suffix(1);
    }
    words = first_paragraph(block.substr(output.size()));
  }
  if (words.empty()) words = last_line();
  return words.empty() ? "" : ": " + text::to_valid_utf8(words.substr(0, kLastWordsBytes));
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
  const std::uint64_t omitted_bytes = total_bytes_ - first_.size() - last.size();
  std::string text = text::to_valid_utf8(first_);
  if (omitted_bytes > 0) text += "\n[" + std::to_string(omitted_bytes) + " bytes left out]\n";
  return text + text::to_valid_utf8(last);
}

}  // namespace stepbench::run
