// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/step_columns.h"

#include <algorithm>
#include <numeric>

namespace stepbench::estimate {

std::span<const std::int64_t> StepColumns::Part::column(std::string_view name) const {
  const std::vector<std::int64_t>* values = samples->steps.find(name);
  return values == nullptr ? std::span<const std::int64_t>()
                           : std::span(*values).subspan(from, to - from);
}

StepColumns::StepColumns(const record::Launch& launch) {
  for (const record::CycleSamples& samples : launch.samples) {
    const std::size_t size = samples.steps.steps();
    if (size == 0) continue;
    for (const std::string& name : samples.steps.names) {
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    }
    parts_.push_back({&samples, 0, size});
    steps_ += size;
  }
}

bool StepColumns::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool StepColumns::complete(std::string_view name) const {
  return !parts_.empty() && std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.column(name).size() == part.to - part.from;
  });
}

std::int64_t StepColumns::sum(std::string_view name) const {
  std::int64_t total = 0;
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    total = std::accumulate(values.begin(), values.end(), total);
  }
  return total;
}

std::vector<double> StepColumns::values(std::string_view name) const {
  std::vector<double> all;
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<std::int64_t> StepColumns::filled(std::string_view name) const {
  std::vector<std::int64_t> all;
  all.reserve(steps_);
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    if (values.empty()) {
      all.resize(all.size() + (part.to - part.from), 0);
    } else {
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

bool StepColumns::cut_to_epochs(std::int64_t border) {
  std::vector<Part> kept;
  for (auto cycle = parts_.begin(); cycle != parts_.end();) {
    const auto end = std::find_if(cycle, parts_.end(), [&](const Part& part) {
      return part.samples->cycle != cycle->samples->cycle;
    });
    std::vector<std::pair<std::size_t, std::size_t>> borders;  // part of the cycle, step in it
    for (auto part = cycle; part != end; ++part) {
      const auto flags = part->column("flags");
      for (std::size_t i = 0; i < flags.size(); ++i) {
        if ((flags[i] & border) == 0) continue;
        borders.emplace_back(static_cast<std::size_t>(part - cycle), part->from + i);
      }
    }
    if (borders.size() < 2) return false;
    const auto [first_part, first_step] = borders.front();
    const auto [last_part, last_step] = borders.back();
    for (std::size_t i = first_part; i <= last_part; ++i) {
      Part part = *(cycle + static_cast<std::ptrdiff_t>(i));
      if (i == first_part) part.from = first_step;
      if (i == last_part) part.to = last_step;
      if (part.to > part.from) kept.push_back(part);
    }
    cycle = end;
  }
  if (kept.empty()) return false;
  parts_ = std::move(kept);
  steps_ = std::accumulate(
      parts_.begin(), parts_.end(), std::size_t{0},
      [](std::size_t steps, const Part& part) { return steps + (part.to - part.from); });
  return true;
}

}  // namespace stepbench::estimate
