// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/estimate/request_times.h"

namespace stepbench::estimate {
namespace {

const RequestTimes* times_of(const CaseRow& row, std::string_view wait) {
  const auto found =
      std::find_if(row.requests.begin(), row.requests.end(),
                   [&](const RequestTimes& times) { return times.kind.column == wait; });
  return found == row.requests.end() ? nullptr : &*found;
}

CaseValue request_number(std::string_view wait, std::size_t quantile,
                         std::optional<double> RequestQuantile::*part) {
  return [=](const CaseRow& row) {
    const RequestTimes* times = times_of(row, wait);
    const auto ns = times == nullptr ? std::nullopt : times->quantiles[quantile].*part;
    return ns ? Value(*ns) : Value();
  };
}

// Adds "time_to_first_token_p99_ns" and the ends of its interval. If there are too few requests for
// the quantile, only the lower end has a value.
void add_quantile(const WaitKind& kind, std::size_t quantile,
                  std::vector<EstimateColumn>& columns) {
  constexpr std::string_view kNs = "_ns";
  const std::string name = std::string(kind.column.substr(0, kind.column.size() - kNs.size())) +
                           '_' + std::string(kRequestQuantiles[quantile].suffix);
  const auto add = [&](const char* ending, std::optional<double> RequestQuantile::*part) {
    columns.push_back({.metric = {.name = name + ending},
                       .get = request_number(kind.column, quantile, part),
                       .shown_for = [kind](const CaseRow& row) {
                         return times_of(row, kind.column) != nullptr;
                       }});
  };
  add("_ns", &RequestQuantile::ns);
  columns.back().at_least = request_number(kind.column, quantile, &RequestQuantile::low_ns);
  add("_low_ns", &RequestQuantile::low_ns);
  add("_high_ns", &RequestQuantile::high_ns);
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

std::vector<EstimateColumn> make_request_columns() {
  std::vector<EstimateColumn> columns;
  for (const WaitKind& kind : kWaitKinds) {
    for (std::size_t i = 0; i < kRequestQuantiles.size(); ++i) add_quantile(kind, i, columns);
  }
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
  static const std::vector<EstimateColumn> columns = make_request_columns();
  return columns;
}

}  // namespace stepbench::estimate
