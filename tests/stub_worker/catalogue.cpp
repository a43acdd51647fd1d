// SPDX-License-Identifier: Apache-2.0
#include "tests/stub_worker/catalogue.h"

namespace stepbench {
namespace {

Option count(const std::string& name, const std::string& doc, std::int64_t value) {
  return {.name = name,
          .type = OptionType::kInteger,
          .doc = doc,
          .unit = "steps",
          .default_value = value,
          .min = 0,
          .identity_default = value};
}

Option number(const std::string& name, const std::string& doc, double value,
              const std::string& unit) {
  return {.name = name,
          .type = OptionType::kNumber,
          .doc = doc,
          .unit = unit,
          .default_value = value,
          .identity_default = value};
}

Section stub_section() {
  return {
      .name = "stub",
      .doc = "A scripted step.",
      .options = {
          {.name = "behaviour",
           .type = OptionType::kEnum,
           .doc = "What goes wrong, from step at_step on.",
           .default_value = std::string("ok"),
           .choices = {"ok", "skip", "throw_in_set_up", "throw_in_step", "throw_in_tear_down",
                       "hang_in_set_up", "hang_in_step", "hang_in_tear_down", "segfault", "abort",
                       "kill_self", "oom", "exit_3", "no_final_line", "garbage", "flood_output",
                       "flood_protocol", "future_protocol", "orphan"},
           .identity_default = std::string("ok")},
          {.name = "of_rank",
           .type = OptionType::kInteger,
           .doc = "The rank that behaves so, the others are well; -1: all.",
           .default_value = std::int64_t{-1},
           .min = -1,
           .identity_default = std::int64_t{-1}},
          {.name = "slow_rank",
           .type = OptionType::kInteger,
           .doc = "The rank whose forward takes slow_rank_us longer; -1: none, -2: all.",
           .default_value = std::int64_t{-1},
           .min = -2,
           .identity_default = std::int64_t{-1}},
          number("slow_rank_us", "How much longer.", 100, "us"),
          count("at_step", "The step at which a behaviour shows, counted from set-up.", 0),
          {.name = "clock",
           .type = OptionType::kEnum,
           .doc = "virtual: time passes as scripted and at once; host: steps spin.",
           .default_value = std::string("virtual"),
           .choices = {"virtual", "host"},
           .identity_default = std::string("virtual")},
          number("step_us", "Duration of a step.", 1000, "us"),
          {.name = "phases",
           .doc = "Parts of a step in percent; what is missing to 100 is `other`.",
           .default_value = std::string("data_wait=20,forward=30,backward=40,optimizer=5"),
           .identity_default = std::string("data_wait=20,forward=30,backward=40,optimizer=5"),
           .pattern = "([a-z0-9_]+=[0-9]+(,[a-z0-9_]+=[0-9]+)*)?"},
          number("jitter", "Largest random change of a step, as a fraction; drawn from the seed.",
                 0, ""),
          count("slow_steps", "The first steps take longer: twice as long, then less and less.", 0),
          count("tail_every", "Each step whose number is a multiple of it takes tail_us; 0: none.",
                0),
          number("slow_launches",
                 "Share of launches of which every step takes twice as long; drawn from the seed.",
                 0, ""),
          number("tail_us", "Duration of the rare slow steps.", 2000, "us"),
          count("epoch_steps", "Steps of an epoch; 0: it never ends.", 0),
          number("epoch_gap_us", "Extra data wait of an epoch's first step.", 500, "us"),
          count("samples", "Samples of a step.", 32),
          number("set_up_us", "Duration of set-up.", 2000, "us"),
          {.name = "finding_launches",
           .type = OptionType::kInteger,
           .doc = "So many launches, the first ones, conclude something.",
           .unit = "launches",
           .default_value = std::int64_t{0},
           .min = 0,
           .identity_default = std::int64_t{0}},
          number("loss", "The fingerprint's loss.", 0.5, ""),
          {.name = "marker",
           .type = OptionType::kPath,
           .doc = "A file to which each launch appends a line: case id, launch, rank.",
           .identity = Identity::kContext},
      }};
}

}  // namespace

Catalogue stub_catalogue() {
  Catalogue out;
  out.sections = harness_sections();
  out.sections.push_back(stub_section());
  out.workloads.push_back({.name = "stub",
                           .doc = "Does nothing, in scripted time and with scripted faults.",
                           .sections = {"stub"},
                           .phases = {{"think", "A phase that only this workload has."}},
                           .metrics = {{.name = "stub_steps",
                                        .unit = "steps",
                                        .role = Role::kContext,
                                        .direction = Direction::kNeither,
                                        .doc = "Steps that were run, warm-up included."}}});
  return out;
}

}  // namespace stepbench
