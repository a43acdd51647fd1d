// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/analyze/rule_input.h"
#include "harness/text/numbers.h"

namespace stepbench {
namespace {

std::string_view loader_class(const RuleInput& in) {
  for (const LoaderCall& call : in.analysis.data_loading->calls) {
    const std::string_view name = iterator_class(in.trace.names[call.name].text);
    if (!name.empty()) return name;
  }
  return {};
}

bool loads_in_the_step(std::string_view iterator) {
  return iterator.find("SingleProcess") != std::string_view::npos;
}

bool is_exposed(const RuleInput& in) {
  return in.analysis.data_loading && in.share(in.idle_ns(IdleCause::kDataLoading)) >= in.threshold;
}

}  // namespace

Ruling data_exposed(const RuleInput& in) {
  if (!in.analysis.data_loading) return in.undecided(in.analysis.data_loading.reason());
  if (!is_exposed(in)) return std::nullopt;
  const double exposed_ns = in.idle_ns(IdleCause::kDataLoading);
  const auto hidden_ns = double(in.idle.counted.data_hidden_ns);
  const std::string_view iterator = loader_class(in);
  std::string text =
      std::string(in.on_device() ? "the device waits for data " : "the step waits for data ") +
      percent_text(in.share(exposed_ns)) + " of the time (" + in.each_step(exposed_ns);
  if (hidden_ns > 0) text += "; another " + duration(in.per_step(hidden_ns)) + " is hidden";
  text += ')';
  if (!iterator.empty()) text += "; iterator " + std::string(iterator);
  Finding finding = in.of_share(exposed_ns, std::move(text));
  in.gain(finding, exposed_ns);
  finding.remedy =
      loads_in_the_step(iterator)
          ? "Read batches in workers, DataLoader(num_workers=...), while the step computes."
          : "More workers, a larger prefetch_factor, or less work per sample: cheaper transforms, "
            "smaller or decoded files.";
  if (in.is_set_to("loader.num_workers", std::int64_t{0})) {
    in.propose(finding, "loader.num_workers", "2");
  }
  in.add_places(finding, IdleCause::kDataLoading);
  return finding;
}

Ruling slow_first_batch(const RuleInput& in) {
  if (!in.analysis.data_loading) return std::nullopt;
  const DataLoading& loading = *in.analysis.data_loading;
  if (loading.later.n < 2 || loading.later.median <= 0) return std::nullopt;
  const double ratio = double(loading.first_ns) / loading.later.median;
  if (ratio < in.threshold) return std::nullopt;
  Finding finding = in.of_value(ratio, Severity::kInfo,
                                "the first batch took " + duration(double(loading.first_ns)) +
                                    ", the later ones " + duration(loading.later.median) +
                                    " in the median: workers start with it");
  finding.remedy =
      "It comes once per epoch: persistent_workers=True starts workers once, and a warm-up keeps "
      "it "
      "out of what is measured.";
  finding.places.push_back({.name = in.name(loading.calls.front().name),
                            .at_ns = loading.calls.front().at.begin_ns,
                            .duration_ns = loading.first_ns});
  return finding;
}

Ruling loader_workers(const RuleInput& in) {
  if (!is_exposed(in) || !in.options.options.empty()) return std::nullopt;
  if (loads_in_the_step(loader_class(in))) return std::nullopt;
  return in.undecided(
      "whether there are too few workers, too few cores or slow storage: the state of the workers "
      "is not in this trace");
}

}  // namespace stepbench
