// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_output.h"

#include <algorithm>

#include "harness/os/text_file.h"
#include "harness/text/printable.h"

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

namespace {

// Parses "  File \"/a/train.py\", line 12 in step".
struct Frame {
  std::string_view file;
  std::string_view line;
  std::string_view function;
};

std::optional<Frame> frame_of(std::string_view text) {
  constexpr std::string_view kBegin = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = " in ";
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  const std::size_t line = text.find(kLine);
  if (line == std::string_view::npos) return std::nullopt;
  const std::size_t in = text.find(kIn, line);
  if (in == std::string_view::npos) return std::nullopt;
  const std::size_t number = line + kLine.size();
  return Frame{text.substr(0, line), text.substr(number, in - number),
               text.substr(in + kIn.size())};
}

bool is_installed(std::string_view file) {
  for (const std::string_view part :
       {"/site-packages/", "/dist-packages/", "/lib/python", "/stepbench_worker/", "<frozen"}) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<StackPlace> place_in_stack(std::string_view output) {
  constexpr std::string_view kHead = "(most recent call first):";
  const std::size_t head = output.rfind(kHead);
  if (head == std::string_view::npos) return std::nullopt;
  std::string_view left = output.substr(output.find('\n', head) + 1);
  bool in_torch = false;
  while (!left.empty()) {
    const std::string_view text = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(text.size() + 1, left.size()));
    const auto frame = frame_of(text);
    if (!frame) return std::nullopt;
    if (is_installed(frame->file)) {
      in_torch = in_torch || frame->file.find("/torch/") != std::string_view::npos;
      continue;
    }
    const std::string_view name = frame->file.substr(frame->file.rfind('/') + 1);
    StackPlace place{.text = std::string(name) + ", line " + std::string(frame->line),
                     .in_torch = in_torch};
    if (frame->function != "<module>") place.text += ", in " + std::string(frame->function);
    return place;
  }
  return std::nullopt;
}

}  // namespace stepbench::run
