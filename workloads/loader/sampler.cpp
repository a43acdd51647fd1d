// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/sampler.h"

#include <string>

#include "workloads/data/data_kinds.h"

namespace stepbench::loader {

std::vector<Option> sampler_options() {
  return {
      {.name = "sampler",
       .type = OptionType::kEnum,
       .doc =
           "Which samples an epoch has, in place of `shuffle`. sequential and random: each once. "
           "random_with_replacement: num_samples draws, as RandomSampler(replacement=True). "
           "weighted: num_samples draws as likely as `weights` says, as WeightedRandomSampler; "
           "weighted_without_replacement: none of them twice. Indices are those of torch.",
       .choices = {"sequential", "random", "random_with_replacement", "weighted",
                   "weighted_without_replacement"}},
      {.name = "weights",
       .type = OptionType::kString,
       .doc = "For the weighted samplers. balanced: each class as likely as any other, which is 1 "
              "/ (samples of its class). Otherwise a text file with a number per sample, as "
              "numpy.savetxt writes it; the numbers need not sum to one."},
      {.name = "num_samples",
       .type = OptionType::kInteger,
       .doc = "How many samples random_with_replacement and the weighted samplers draw per epoch. "
              "Unset: as many as the data set has.",
       .unit = "samples",
       .min = 1,
       .max = 9007199254740992.0},
  };
}

void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const bool shuffle = resolved.flag("loader.shuffle");
  const bool sampler = resolved.has("loader.sampler");
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const data::DataKind& kind = data::data_kind(resolved);
  if (kind.iterable && (shuffle || sampler)) {
    refuse(shuffle ? "loader.shuffle" : "loader.sampler",
           "data.kind " + kind.variant.name +
               " is iterable: there are no indices to shuffle; use data.shuffle_buffer");
    return;
  }
  const std::string chosen = sampler ? resolved.text("loader.sampler") : std::string();
  const bool weighted = chosen.starts_with("weighted");
  if (weighted != resolved.has("loader.weights")) {
    refuse("loader.weights", weighted
                                 ? "sampler " + chosen + " needs weights: balanced, or a file"
                                 : "only the samplers weighted and weighted_without_replacement "
                                   "have weights; set sampler: weighted");
    return;
  }
  if (resolved.has("loader.num_samples") && !weighted && chosen != "random_with_replacement") {
    refuse("loader.num_samples",
           "belongs to the samplers random_with_replacement, weighted and "
           "weighted_without_replacement; the others take every sample once");
    return;
  }
  if (!sampler) return;
  if (shuffle) {
    refuse("loader.sampler", "sampler and shuffle exclude each other; leave out shuffle");
    return;
  }
  if (weighted || chosen == "random_with_replacement") return;
  resolved.options["loader.shuffle"] = chosen == "random";
  resolved.options["loader.sampler"] = Value{};
}

}  // namespace stepbench::loader
