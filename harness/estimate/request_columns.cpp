// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/estimate/request_times.h"

namespace stepbench::estimate {
namespace {

constexpr std::optional<double> RequestQuantile::*kParts[] = {
    &RequestQuantile::ns, &RequestQuantile::low_ns, &RequestQuantile::high_ns};
constexpr std::string_view kPartSuffixes[] = {"", "_low", "_high"};
constexpr std::size_t kPartCount = std::size(kParts);
constexpr std::size_t kColumnCount = kWaitKinds.size() * kRequestQuantiles.size() * kPartCount;

struct ColumnPlace {
  std::size_t kind, quantile, part;
};
constexpr ColumnPlace place_of(std::size_t column) {
  const std::size_t quantiles = kRequestQuantiles.size();
  return {column / kPartCount / quantiles, column / kPartCount % quantiles, column % kPartCount};
}

const RequestTimes* times_of(const CaseRow& row, std::size_t kind) {
  const auto found = std::find_if(
      row.requests.begin(), row.requests.end(),
      [&](const RequestTimes& times) { return times.kind.column == kWaitKinds[kind].column; });
  return found == row.requests.end() ? nullptr : &*found;
}

template <std::size_t Column>
Value request_number(const CaseRow& row) {
  constexpr ColumnPlace kPlace = place_of(Column);
  const RequestTimes* times = times_of(row, kPlace.kind);
  if (times == nullptr) return {};
  const std::optional<double> ns = times->quantiles[kPlace.quantile].*kParts[kPlace.part];
  return ns ? Value(*ns) : Value();
}

template <std::size_t Column>
bool has_requests(const CaseRow& row) {
  return times_of(row, place_of(Column).kind) != nullptr;
}

// Of a quantile that the requests do not carry.
template <std::size_t Column>
constexpr auto lower_bound() -> Value (*)(const CaseRow&) {
  constexpr std::size_t kLowEnd = Column + 1;
  if constexpr (place_of(Column).part == 0) return request_number<kLowEnd>;
  return nullptr;
}

// "time_to_first_token_p99_low_ns"
std::string column_name(const ColumnPlace& place) {
  constexpr std::string_view kNs = "_ns";
  std::string_view wait = kWaitKinds[place.kind].column;
  wait.remove_suffix(kNs.size());
  return std::string(wait) + '_' + std::string(kRequestQuantiles[place.quantile].suffix) +
         std::string(kPartSuffixes[place.part]) + std::string(kNs);
}

struct ShownColumn {
  std::string_view name, header;
  int drop_at;
};
constexpr ShownColumn kShown[] = {
    {"request_latency_p99_ns", "p99", 84},
    {"request_latency_p999_ns", "p99.9", 45},
    {"time_to_first_token_p50_ns", "first token p50", 82},
    {"time_to_first_token_p99_ns", "first token p99", 44},
    {"time_per_output_token_p50_ns", "per token p50", 80},
};

bool has_load(const CaseRow& row) { return row.load.has_value(); }

bool has_limit(const CaseRow& row) { return row.highest_rate.has_value(); }

template <double stats::Interval::*End>
Value end_of_rate(const CaseRow& row) {
  if (!row.highest_rate || !row.highest_rate->interval) return {};
  return (*row.highest_rate->interval).*End;
}

// Before the quantiles.
const EstimateColumn kLoadColumns[] = {
    {.metric = {.name = "utilisation"},
     .get = [](const CaseRow& row) { return row.load ? Value(row.load->utilisation) : Value(); },
     .format = ColumnFormat::kPercent,
     .header = "utilisation [%]",
     .drop_at = 86,
     .shown_for = has_load},
    {.metric = {.name = "overload"},
     .get = [](const CaseRow& row) { return row.load ? Value(row.overloaded()) : Value(); },
     .shown_for = has_load},
    {.metric = {.name = "highest_rate",
                .unit = "requests/s",
                .direction = Direction::kHigherIsBetter,
                .doc = "The rate of arrivals at which the 99th percentile of the latency reaches "
                       "schedule.arrivals.p99_limit_ms: by Lindley's recursion over the measured "
                       "answers.",
                .source = Source::kHostClock},
     .get =
         [](const CaseRow& row) {
           return row.highest_rate ? Value(row.highest_rate->per_s) : Value();
         },
     .format = ColumnFormat::kNumber,
     .header = "rate at p99 limit",
     .drop_at = 88,
     .shown_for = has_limit},
    {.metric = {.name = "highest_rate_low"},
     .get = end_of_rate<&stats::Interval::low>,
     .format = ColumnFormat::kNumber,
     .shown_for = has_limit},
    {.metric = {.name = "highest_rate_high"},
     .get = end_of_rate<&stats::Interval::high>,
     .format = ColumnFormat::kNumber,
     .shown_for = has_limit},
};

template <std::size_t... Columns>
std::vector<EstimateColumn> make_columns(std::index_sequence<Columns...>) {
  std::vector<EstimateColumn> columns(std::begin(kLoadColumns), std::end(kLoadColumns));
  (columns.push_back({.metric = {.name = column_name(place_of(Columns))},
                      .get = request_number<Columns>,
                      .at_least = lower_bound<Columns>(),
                      .shown_for = has_requests<Columns>}),
   ...);
  for (EstimateColumn& column : columns) {
    for (const ShownColumn& shown : kShown) {
      if (shown.name != column.metric.name) continue;
      column.header = shown.header;
      column.drop_at = shown.drop_at;
    }
  }
  return columns;
}

}  // namespace

std::span<const EstimateColumn> request_columns() {
  static const std::vector<EstimateColumn> columns =
      make_columns(std::make_index_sequence<kColumnCount>());
  return columns;
}

}  // namespace stepbench::estimate
