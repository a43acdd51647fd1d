// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/phase_prediction.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

namespace stepbench::compare {
namespace {

constexpr std::string_view kOnAllCores = "_threads";
constexpr double kMedianVariance = 1.5707963;  // of a median, to that of a mean
// Which kind an operation is of is known by its name and length alone.
constexpr double kShareError = 0.1;

struct PhaseRow {
  std::string_view phase;
  std::vector<std::string_view> kinds;
};

const std::vector<PhaseRow>& phase_rows() {
  static const std::vector<PhaseRow> rows = {
      {"zero_grad", {"memory", "launch"}}, {"forward", {"gemm", "memory", "launch"}},
      {"loss", {"memory", "launch"}},      {"backward", {"gemm", "memory", "launch"}},
      {"optimizer", {"memory", "launch"}}, {"loader_decode_ns", {"decode"}},
      {"loader_collate_ns", {"memory"}},   {"loader_epoch_begin_ns", {"fork"}},
  };
  return rows;
}

bool decodes_images(const OptionValues& options) {
  const std::string kind = text_of(options, "data.kind");
  return kind == "jpeg_folder" || kind == "webdataset";
}

// What a step waits for where it reads its batches itself.
PhaseKinds kinds_of_reading(const OptionValues& options) {
  if (number_of(options, "loader.num_workers").value_or(0) > 0) {
    return {.why_not = "what a step waits for is what workers that read ahead leave over"};
  }
  if (const std::string cost = text_of(options, "data.cost", "none"); cost != "none") {
    return {.why_not = "data.cost adds a time of its own"};
  }
  const std::string kind = text_of(options, "data.kind");
  if (kind.empty() || kind == "python") return {.why_not = "no control is of this data"};
  if (decodes_images(options)) return {.kinds = {"decode"}};
  return {.kinds = {"decode", "memory", "launch"}};
}

struct Span {
  double low = 0;
  double high = 0;
};

// Where a phase may be anything between them.
LogRatio hull(const std::vector<LogRatio>& ratios) {
  const auto [low, high] = std::ranges::minmax(ratios, {}, &LogRatio::centre);
  LogRatio all{.centre = (low.centre + high.centre) / 2, .interval = ratios.front().interval};
  for (const LogRatio& each : ratios) {
    all.interval = {std::min(all.interval.low, each.interval.low),
                    std::max(all.interval.high, each.interval.high)};
  }
  return all;
}

class KindRatios {
 public:
  KindRatios(const Controls& a, const Controls& b, const UsedThreads& threads, double confidence)
      : a_(a), b_(b), threads_(threads), confidence_(confidence) {}

  // nullopt: missing() names what it needs.
  std::optional<LogRatio> of(std::string_view kind) {
    const std::string parallel = std::string(kind) + std::string(kOnAllCores);
    const bool has_parallel = std::ranges::any_of(
        control_kinds(), [&](const ControlKind& each) { return each.name == parallel; });
    std::optional<LogRatio> ratio = between(kind, kind);
    if (!ratio || !has_parallel || (threads_.a == 1 && threads_.b == 1)) return ratio;
    // Work that is not cut into pieces, work that is, and what lies between them.
    std::vector<LogRatio> ratios = {*ratio};
    for (const std::string_view of_a : sides(kind, parallel, threads_.a, a_)) {
      for (const std::string_view of_b : sides(kind, parallel, threads_.b, b_)) {
        const std::optional<LogRatio> other = between(of_a, of_b);
        if (!other) return std::nullopt;
        ratios.push_back(*other);
      }
    }
    return hull(ratios);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] const std::set<std::string>& used() const { return used_; }

 private:
  // The controls between which work in so many threads lies.
  static std::vector<std::string_view> sides(std::string_view single, std::string_view parallel,
                                             std::optional<std::int64_t> threads,
                                             const Controls& controls) {
    if (threads == 1) return {single};
    const std::optional<double> all = number_of(controls.machine, "threads");
    if (threads && all && static_cast<double>(*threads) == *all) return {parallel};
    return {single, parallel};
  }

  std::optional<LogRatio> between(std::string_view of_a, std::string_view of_b) {
    const Control* a = a_.find(of_a);
    const Control* b = b_.find(of_b);
    if (a == nullptr || b == nullptr) {
      missing_ = a == nullptr ? of_a : of_b;
      return std::nullopt;
    }
    used_.insert({std::string(of_a), std::string(of_b)});
    return log_ratio(*a, *b, confidence_);
  }

  const Controls& a_;
  const Controls& b_;
  const UsedThreads& threads_;
  double confidence_;
  std::string missing_;
  std::set<std::string> used_;
};

// b / a of a sum whose parts changed as `ratios` say, in shares of the sum on A, or on B.
double mixed(const std::map<std::string_view, double>& ratios, const KindShares& shares) {
  double sum = 0;
  for (const auto& [kind, share] : shares.of) {
    const double ratio = std::exp(ratios.at(kind));
    sum += shares.of_b ? share / ratio : share * ratio;
  }
  return shares.of_b ? -std::log(sum) : std::log(sum);
}

LogRatio mixture(const std::map<std::string_view, LogRatio>& kinds, const KindShares& shares) {
  std::map<std::string_view, double> centres;
  std::map<std::string_view, double> lows;
  std::map<std::string_view, double> highs;
  Span range{kinds.begin()->second.centre, kinds.begin()->second.centre};
  for (const auto& [kind, ratio] : kinds) {
    centres.emplace(kind, ratio.centre);
    lows.emplace(kind, ratio.interval.low);
    highs.emplace(kind, ratio.interval.high);
    range = {std::min(range.low, ratio.centre), std::max(range.high, ratio.centre)};
  }
  const double error = kShareError * (range.high - range.low);
  return {.centre = mixed(centres, shares),
          .interval = {mixed(lows, shares) - error, mixed(highs, shares) + error}};
}

}  // namespace

LogRatio log_ratio(const Control& a, const Control& b, double confidence) {
  const auto variance = [](const Control& of) {
    return kMedianVariance * of.sd * of.sd / static_cast<double>(of.launches);
  };
  const boost::math::students_t spread(static_cast<double>(std::min(a.launches, b.launches) - 1));
  const double half = boost::math::quantile(boost::math::complement(spread, (1 - confidence) / 2)) *
                      std::sqrt(variance(a) + variance(b));
  const double centre = std::log(b.step_ns / a.step_ns);
  return {.centre = centre, .interval = {centre - half, centre + half}};
}

PhaseKinds kinds_of(std::string_view phase, const OptionValues& options) {
  if (phase == "data_wait") return kinds_of_reading(options);
  if (phase == "loader_decode_ns" && !decodes_images(options)) {
    return {.why_not = "no control is of this data"};
  }
  const auto found = std::ranges::find(phase_rows(), phase, &PhaseRow::phase);
  if (found == phase_rows().end()) return {.why_not = "no control is of this phase"};
  return {.kinds = found->kinds};
}

PhasePrediction predict(const PhaseKinds& kinds, const Controls& a, const Controls& b,
                        const UsedThreads& threads, const KindShares* shares, double confidence) {
  KindRatios ratios(a, b, threads, confidence);
  std::map<std::string_view, LogRatio> of;
  for (const std::string_view kind : kinds.kinds) {
    if (shares != nullptr && !shares->of.contains(kind)) continue;
    const std::optional<LogRatio> ratio = ratios.of(kind);
    if (!ratio) return {.missing = ratios.missing()};
    of.emplace(kind, *ratio);
  }
  PhasePrediction prediction{.controls = {ratios.used().begin(), ratios.used().end()},
                             .by_operations = shares != nullptr};
  if (shares != nullptr) {
    prediction.ratio = mixture(of, *shares);
    return prediction;
  }
  std::vector<LogRatio> all;
  for (const auto& [kind, ratio] : of) all.push_back(ratio);
  prediction.ratio = hull(all);
  return prediction;
}

}  // namespace stepbench::compare
