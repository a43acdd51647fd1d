// SPDX-License-Identifier: Apache-2.0
#include "harness/text/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace stepbench {
namespace {

constexpr std::size_t kLongestName = 128;

char fold(char c) {
  if (c == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1);
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = fold(a[i - 1]) == fold(b[j - 1]);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLongestName) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty() || name.size() < 3) return best;
  const auto contains = [&](const std::string& candidate) {
    return candidate.find(name) != std::string::npos;
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), contains);
  return found == candidates.end() ? std::string() : *found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string candidate = nearest(name, candidates);
  return candidate.empty() ? std::string() : " (did you mean '" + candidate + "'?)";
}

}  // namespace stepbench
