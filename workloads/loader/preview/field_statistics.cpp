// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/field_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace stepbench::loader {
namespace {

// IEEE 754 binary16.
double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10U) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int significand = exponent == 0 ? fraction : fraction + 1024;
  return sign * std::ldexp(significand, std::max(exponent, 1) - 25);
}

// bfloat16: the upper half of a float.
double bfloat_value(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16U));
}

template <typename Number>
double as_double(Number number) {
  return static_cast<double>(number);
}

template <typename Number>
void add_all(std::span<const std::byte> numbers, FieldStatistics& to,
             double (*value_of)(Number) = as_double<Number>) {
  for (std::size_t at = 0; at + sizeof(Number) <= numbers.size(); at += sizeof(Number)) {
    Number number{};
    std::memcpy(&number, numbers.data() + at, sizeof number);
    to.add(value_of(number));
  }
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void FieldStatistics::add(double value) {
  ++values_;
  if (std::isnan(value)) {
    ++nans_;
    return;
  }
  if (std::isinf(value)) {
    ++infinities_;
    return;
  }
  if (value == 0) ++zeros_;
  const bool first = finite() == 1;
  min_ = first ? value : std::min(min_, value);
  max_ = first ? value : std::max(max_, value);
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(finite());
  squares_ += distance * (value - mean_);
}

void FieldStatistics::add(std::span<const std::byte> numbers, DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return add_all<std::uint8_t>(numbers, *this);
    case DType::kInt32:
      return add_all<std::int32_t>(numbers, *this);
    case DType::kInt64:
      return add_all<std::int64_t>(numbers, *this);
    case DType::kFloat32:
      return add_all<float>(numbers, *this);
    case DType::kBool:
      return add_all<std::uint8_t>(numbers, *this);
    case DType::kInt16:
      return add_all<std::int16_t>(numbers, *this);
    case DType::kFloat16:
      return add_all<std::uint16_t>(numbers, *this, half_value);
    case DType::kBFloat16:
      return add_all<std::uint16_t>(numbers, *this, bfloat_value);
    case DType::kFloat64:
      return add_all<double>(numbers, *this);
  }
}

double FieldStatistics::min() const { return finite() > 0 ? min_ : kNone; }
double FieldStatistics::max() const { return finite() > 0 ? max_ : kNone; }
double FieldStatistics::mean() const { return finite() > 0 ? mean_ : kNone; }
double FieldStatistics::deviation() const {
  return finite() > 0 ? std::sqrt(squares_ / static_cast<double>(finite())) : kNone;
}

}  // namespace stepbench::loader
