// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/plan/fixture.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::testing {
namespace {

// An integer option whose default is not part of a case's identity.
Option integer(const char* name, const char* doc, std::int64_t value, double min,
               double max = std::numeric_limits<double>::infinity()) {
  return {.name = name,
          .type = OptionType::kInteger,
          .doc = doc,
          .default_value = value,
          .min = min,
          .max = max,
          .identity_default = value};
}

Option choice(const char* name, const char* doc, const char* value,
              std::vector<std::string> choices) {
  return {.name = name,
          .type = OptionType::kEnum,
          .doc = doc,
          .default_value = std::string(value),
          .choices = std::move(choices)};
}

Section data() {
  Option cost = choice("cost", "Cost.", "none", {"none", "sleep", "spin"});
  cost.identity_default = std::string("none");
  cost.values_called = {{"busy_wait", "spin"}};
  const Option path{.name = "path",
                    .type = OptionType::kPath,
                    .doc = "Folder.",
                    .required = true,
                    .identity = Identity::kContext,
                    .must_exist = true};
  return {.name = "data",
          .doc = "Samples.",
          .selector = "kind",
          .options = {choice("kind", "Format.", "synthetic", {"files", "synthetic"}),
                      {.name = "id", .doc = "Names the content."}},
          .variants = {{.name = "synthetic",
                        .doc = "Made up.",
                        .options = {integer("samples", "Samples.", 100, 1), cost}},
                       {.name = "files",
                        .doc = "From a folder.",
                        .options = {path, integer("size", "Pixels.", 224, 1)}}}};
}

Section loader() {
  Option prefetch = integer("prefetch", "Batches ahead.", 2, 1);
  prefetch.requires_ = Requires{.option = "loader.num_workers",
                                .op = Requires::Op::kGreater,
                                .value = std::int64_t{0},
                                .doc = "needs workers (num_workers > 0)"};
  return {.name = "loader",
          .doc = "Batches.",
          .options = {integer("batch_size", "Samples in a batch.", 1, 1, 4096),
                      integer("num_workers", "Workers.", 0, 0, 1024),
                      prefetch,
                      {.name = "pin_memory",
                       .type = OptionType::kBool,
                       .doc = "Page-locked.",
                       .default_value = false,
                       .identity_default = false}}};
}

Section model() {
  const Option width{
      .name = "width", .type = OptionType::kInteger, .doc = "Width.", .required = true, .min = 1};
  const Option rate{.name = "rate",
                    .type = OptionType::kNumber,
                    .doc = "Learning rate.",
                    .default_value = 0.1,
                    .min = 0,
                    .max = 10,
                    .identity_default = 0.1,
                    .also_called = {"learning_rate"}};
  const Option peak{.name = "device_peak",  // "device" is at the top level
                    .type = OptionType::kNumber,
                    .doc = "Operations.",
                    .default_value = 0.0,
                    .identity_default = 0.0};
  return {.name = "model", .doc = "The model.", .options = {width, rate, peak}};
}

Catalogue make() {
  Catalogue catalogue{.sections = harness_sections(), .workloads = {}};
  catalogue.sections.push_back(data());
  catalogue.sections.push_back(loader());
  catalogue.sections.push_back(model());
  catalogue.workloads = {
      {.name = "loader", .doc = "Loads.", .sections = {"data", "loader"}},
      {.name = "train", .doc = "Trains.", .sections = {"data", "loader", "model"}}};
  return catalogue;
}

fs::path write_sweep(const std::string& yaml) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("stepbench-plan-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "sweep.yaml", std::ios::binary) << yaml;
  return folder / "sweep.yaml";
}

void remove_folder_of(std::string& text, const fs::path& file) {
  const std::string folder = file.parent_path().string() + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
    text.erase(at, folder.size());
  }
}

}  // namespace

const Catalogue& sample_catalogue() {
  static const Catalogue catalogue = make();
  return catalogue;
}

plan::Plan plan_of(const std::string& yaml, const Change& change,
                   std::span<const WorkloadRule> rules) {
  const fs::path file = write_sweep(yaml);
  plan::PlanRequest request{.file = file};
  if (change) change(request);
  plan::Plan plan = plan::make_plan(request, sample_catalogue(), rules);
  fs::remove_all(file.parent_path());
  return plan;
}

Refusal refusal_of(const std::string& yaml, const Change& change,
                   std::span<const WorkloadRule> rules) {
  const fs::path file = write_sweep(yaml);
  plan::PlanRequest request{.file = file};
  Refusal refusal;
  try {
    if (change) change(request);
    static_cast<void>(plan::make_plan(request, sample_catalogue(), rules));
  } catch (const ConfigError& error) {
    refusal = {error.where(), error.what()};
    remove_folder_of(refusal.where, file);
    remove_folder_of(refusal.what, file);
  }
  fs::remove_all(file.parent_path());
  return refusal;
}

std::vector<std::string> points(const plan::Plan& plan) {
  std::vector<std::string> all;
  std::vector<std::string> names = plan.varying;
  std::sort(names.begin(), names.end());
  for (const plan::PlannedCase& planned : plan.cases) {
    std::string text;
    for (const std::string& name : names) {
      const Value* value = planned.resolved.options.get(name);
      text += (text.empty() ? "" : " ") + name.substr(name.find('.') + 1) + "=" +
              (value == nullptr ? "absent" : to_text(*value));
    }
    all.push_back(text);
  }
  return all;
}

std::vector<std::string> ids(const plan::Plan& plan) {
  std::vector<std::string> all;
  for (const plan::PlannedCase& planned : plan.cases) all.push_back(planned.resolved.case_id);
  return all;
}

}  // namespace stepbench::testing
