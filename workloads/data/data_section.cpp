// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_section.h"

#include "workloads/data/data_kinds.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::data {

Section data_section() {
  Section section{
      .name = "data",
      .doc = "Where the samples come from and how one becomes a tensor.",
      .selector = "kind",
      .options =
          {
              {.name = "kind",
               .type = OptionType::kEnum,
               .doc = "The format of the data set.",
               .default_value = std::string{"synthetic"},
               .choices = {},
               .also_called = {"format", "dataset"},
               .values_called = {{"image_folder", "jpeg_folder"},
                                 {"imagefolder", "jpeg_folder"},
                                 {"imagenet", "jpeg_folder"},
                                 {"cifar", "cifar_bin"},
                                 {"cifar10", "cifar_bin"},
                                 {"cifar100", "cifar_bin"},
                                 {"mnist", "mnist_idx"},
                                 {"wds", "webdataset"},
                                 {"fake_data", "synthetic"},
                                 {"random", "synthetic"}}},
              {.name = "id",
               .type = OptionType::kString,
               .doc = "A name for the content of the data set. Cases with different ids are "
                      "different cases; the path alone makes no difference."},
              {.name = "page_cache",
               .type = OptionType::kEnum,
               .doc = "State of the data set's files before the loader is made and before each "
                      "cycle of the schedule, its warm-up included. warm: read once. cold: "
                      "evicted, as far as no process has them mapped; what the warm-up and a pass "
                      "over the data read is warm again. What was reached is recorded. Unset: as "
                      "they are.",
               .choices = {"warm", "cold"}},
          },
      .variants = {},
  };
  for (const DataKind& kind : data_kinds()) {
    section.options[0].choices.push_back(kind.variant.name);
    section.variants.push_back(kind.variant);
  }
  return section;
}

void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.has("data.page_cache") && !resolved.has("data.path")) {
    if (!facts.swept) {
      sink.error("data.page_cache", "data.kind " + resolved.text("data.kind") + " reads no files");
    }
    resolved.options["data.page_cache"] = Value{};
  }
  check_lengths(resolved, facts, sink);
}

}  // namespace stepbench::data
