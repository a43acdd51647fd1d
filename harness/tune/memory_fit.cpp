// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/memory_fit.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

namespace stepbench::tune {

// Least squares; the interval is a prediction interval for one further value.
std::optional<PredictedMemory> predict_memory(std::span<const MeasuredMemory> smaller,
                                              double batch) {
  constexpr std::size_t kMinSizes = 3;
  constexpr double kOneSided = 0.025;
  std::set<double> sizes;
  for (const MeasuredMemory& each : smaller) sizes.insert(each.batch);
  if (sizes.size() < kMinSizes) return std::nullopt;
  const auto count = static_cast<double>(smaller.size());
  double mean_batch = 0;
  double mean_bytes = 0;
  for (const MeasuredMemory& each : smaller) {
    mean_batch += each.batch / count;
    mean_bytes += each.bytes / count;
  }
  double spread = 0;
  double slope = 0;
  for (const MeasuredMemory& each : smaller) {
    spread += (each.batch - mean_batch) * (each.batch - mean_batch);
    slope += (each.batch - mean_batch) * (each.bytes - mean_bytes);
  }
  slope /= spread;
  double squares = 0;
  for (const MeasuredMemory& each : smaller) {
    const double left = each.bytes - mean_bytes - slope * (each.batch - mean_batch);
    squares += left * left;
  }
  const double freedom = count - 2;
  const double away = batch - mean_batch;
  const double sd = std::sqrt(squares / freedom * (1 + 1 / count + away * away / spread));
  const double reach = sd * boost::math::quantile(boost::math::complement(
                                boost::math::students_t(freedom), kOneSided));
  const double bytes = mean_bytes + slope * away;
  return PredictedMemory{bytes, {bytes - reach, bytes + reach}};
}

}  // namespace stepbench::tune
