// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "harness/trace/read_nsight.h"

namespace stepbench::trace {
namespace {

// Converts to lower case, with a single blank between words.
std::string plain_words(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool parts = c == '_' || c == '-' || c == '#' || c == ':' || c == '=' || c == '.' ||
                       c == '/' || c == ' ' || c == '[' || c == ']' || c == '(' || c == ')';
    if (!parts) {
      plain += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  while (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

bool is_step_word(std::string_view words) {
  constexpr std::array<std::string_view, 12> kSteps = {
      "step",       "profilerstep", "iteration",       "iter",      "train step", "training step",
      "train iter", "global step",  "train iteration", "trainstep", "batch",      "train batch"};
  return std::find(kSteps.begin(), kSteps.end(), words) != kSteps.end();
}

}  // namespace

std::int64_t step_of_range(std::string_view name) {
  const std::string words = plain_words(name);
  const std::size_t digits = words.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= words.size()) return -1;
  std::string_view before = std::string_view(words).substr(0, digits);
  while (before.ends_with(' ')) before.remove_suffix(1);
  std::int64_t number = -1;
  const auto [end, error] =
      std::from_chars(words.data() + digits, words.data() + words.size(), number);
  return error == std::errc{} && is_step_word(before) ? number : -1;
}

bool is_step_range(std::string_view name) { return is_step_word(plain_words(name)); }

bool is_data_range(std::string_view name) {
  constexpr std::array<std::string_view, 12> kWaits = {
      "data wait",  "dataloader", "data loader", "data loading", "dataloading", "load data",
      "load batch", "next batch", "get batch",   "fetch batch",  "data load",   "dataloader next"};
  const std::string words = plain_words(name);
  return std::find(kWaits.begin(), kWaits.end(), words) != kWaits.end();
}

}  // namespace stepbench::trace
