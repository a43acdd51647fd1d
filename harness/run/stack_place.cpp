// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stack_place.h"

#include <algorithm>

namespace stepbench::run {
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
