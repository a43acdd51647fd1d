// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/t_test.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace stepbench {
namespace {

struct Moments {
  double n = 0;
  double mean = 0;
  double variance = 0;  // with n - 1
};

Moments moments(std::span<const double> values) {
  Moments result{.n = static_cast<double>(values.size())};
  for (const double value : values) result.mean += value;
  result.mean /= result.n;
  for (const double value : values) {
    result.variance += (value - result.mean) * (value - result.mean);
  }
  result.variance /= result.n - 1;
  return result;
}

TTest decide(double difference, double standard_error, double degrees) {
  TTest result{.degrees = degrees};
  if (!(standard_error > 0)) {
    result.t =
        difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
    result.p_two_sided = difference == 0 ? 1 : 0;
    return result;
  }
  result.t = difference / standard_error;
  const boost::math::students_t law(degrees);
  result.p_two_sided = 2 * boost::math::cdf(boost::math::complement(law, std::abs(result.t)));
  return result;
}

}  // namespace

TTest welch(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return {};
  const Moments x = moments(a);
  const Moments y = moments(b);
  const double u = x.variance / x.n;
  const double v = y.variance / y.n;
  const double degrees = (u + v) * (u + v) / (u * u / (x.n - 1) + v * v / (y.n - 1));
  return decide(x.mean - y.mean, std::sqrt(u + v), degrees);
}

TTest student(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return {};
  const Moments x = moments(a);
  const Moments y = moments(b);
  const double degrees = x.n + y.n - 2;
  const double pooled = ((x.n - 1) * x.variance + (y.n - 1) * y.variance) / degrees;
  return decide(x.mean - y.mean, std::sqrt(pooled * (1 / x.n + 1 / y.n)), degrees);
}

double mean_half_width(std::span<const double> values, double confidence) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  const Moments x = moments(values);
  const boost::math::students_t law(x.n - 1);
  return boost::math::quantile(boost::math::complement(law, (1 - confidence) / 2)) *
         std::sqrt(x.variance / x.n);
}

}  // namespace stepbench
