// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sampler.h"

#include <string>

namespace stepbench {

Option sampler_option() {
  return {.name = "sampler",
          .type = OptionType::kEnum,
          .doc =
              "Which samples an epoch has, in place of `shuffle`. sequential and random: each "
              "once. random_with_replacement: as many draws as there are samples, as "
              "RandomSampler(replacement=True). Indices are those of torch.",
          .choices = {"sequential", "random", "random_with_replacement"}};
}

void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const bool shuffle = resolved.flag("loader.shuffle");
  const bool sampler = resolved.has("loader.sampler");
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  if (resolved.text("data.kind") == "webdataset" && (shuffle || sampler)) {
    refuse(shuffle ? "loader.shuffle" : "loader.sampler",
           "data.kind webdataset is iterable: there are no indices to shuffle; use "
           "data.shuffle_buffer");
    return;
  }
  if (!sampler) return;
  if (shuffle) {
    refuse("loader.sampler", "sampler and shuffle exclude each other; leave out shuffle");
    return;
  }
  if (resolved.text("loader.sampler") == "random_with_replacement") return;
  resolved.options["loader.shuffle"] = resolved.text("loader.sampler") == "random";
  resolved.options["loader.sampler"] = Value{};
}

}  // namespace stepbench
