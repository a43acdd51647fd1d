// SPDX-License-Identifier: Apache-2.0
// The part of a worker's standard output and error that a launch keeps, and the position of a
// Python program from the output of its faulthandler. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::run {

// Returns the end of a program's output as ": words", shortened: its last line, or the first
// paragraph between the last two rules, as Open MPI writes it. Empty for no output.
[[nodiscard]] std::string last_words(std::string_view output);

// Keeps the first and the last `keep_bytes` of a stream of any length.
class OutputTail {
 public:
  static constexpr std::size_t kKeepBytes = std::size_t{32} << 10;
  explicit OutputTail(std::size_t keep_bytes = kKeepBytes) : keep_bytes_(keep_bytes) {}

  void append(std::string_view bytes);
  // Valid UTF-8: other bytes become U+FFFD. Notes how much was omitted between the two parts.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string last_words() const { return run::last_words(text()); }
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  std::size_t keep_bytes_;
  std::string first_;
  std::string last_;  // up to twice keep_bytes_, trimmed when full
  std::uint64_t total_bytes_ = 0;
};

struct StackPlace {
  std::string text;       // "train.py, line 12, in step": the innermost user frame
  bool in_torch = false;  // the frame that it called is in torch
};

// Uses the last stack in `output`; nullopt without a stack or a user frame.
[[nodiscard]] std::optional<StackPlace> place_in_stack(std::string_view output);

}  // namespace stepbench::run
