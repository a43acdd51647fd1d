// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/run_experiment.h"
#include "harness/estimate/case_rows.h"
#include "harness/text/names.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"
#include "workloads/data/data_kinds.h"
#include "workloads/loader/show_data.h"

namespace stepbench::cli {
namespace {

struct DataShowOptions {
  std::string file;
  std::vector<std::string> set;
  std::string case_id;
  std::string worker;
  std::int64_t samples = 8;
  std::int64_t batches = 2;
  std::string png;
  std::string format = "text";
};

bool has_loader(const plan::PlannedCase& planned) {
  return planned.resolved.has("data.kind") && planned.resolved.has("loader.batch_size");
}

std::string case_line(const plan::Plan& plan, const plan::PlannedCase& planned) {
  const std::string values = text::join(plan.varying, ", ", [&](const std::string& name) {
    const Value* value = planned.resolved.options.get(name);
    return name + "=" + (value == nullptr ? "-" : to_text(*value));
  });
  return formatted("\n  {}  {}", planned.resolved.case_id, text::printable(values));
}

[[noreturn]] void ask_for_case(const plan::Plan& plan, const char* why) {
  constexpr std::size_t kListed = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(plan.cases.size(), kListed); ++i) {
    list += case_line(plan, plan.cases[i]);
  }
  if (plan.cases.size() > kListed) list += "\n  ... (`stepbench plan` lists all)";
  throw ConfigError("--case", std::string(why) + ":" + list);
}

struct Chosen {
  ResolvedCase resolved;
  std::string title;
};

Chosen choose_case(plan::Plan plan, const std::string& id) {
  const std::size_t planned = plan.cases.size();
  if (!id.empty()) plan::keep_cases(plan, {id});
  std::erase_if(plan.cases, [](const plan::PlannedCase& each) { return !has_loader(each); });
  if (plan.cases.empty()) {
    throw ConfigError(plan.file.string(),
                      "has no case with a DataLoader; those of the workloads loader, train_step, "
                      "eval_step and generate have one");
  }
  const plan::PlannedCase& first = plan.cases.front();
  const auto reads_the_same = [&](const plan::PlannedCase& each) {
    return loader::same_samples(first.resolved, each.resolved);
  };
  if (!std::ranges::all_of(plan.cases, reads_the_same)) {
    ask_for_case(plan, id.empty() ? "the cases differ in the data that they read; choose one"
                                  : "several cases begin with this id; give more digits");
  }
  const auto usable = std::ranges::find_if(
      plan.cases, [](const plan::PlannedCase& each) { return !each.skip.has_value(); });
  const plan::PlannedCase& chosen = usable == plan.cases.end() ? first : *usable;
  const ResolvedCase& resolved = chosen.resolved;
  std::string title = estimate::case_name(resolved.options, resolved.workload, plan.varying);
  if (planned > 1) title += formatted(", one of {}", planned);
  if (id.empty() && planned > 1) title += "; all of them read the same samples";
  return {resolved, title};
}

int show_data_of(const DataShowOptions& options, const Environment& environment) {
  if (options.png.ends_with(".png")) {
    throw ConfigError("--png " + options.png, text::removed("data show --png FILE.png"));
  }
  const campaign::CampaignContext context = campaign_context(environment);
  const auto worker =
      options.worker.empty()
          ? std::nullopt
          : std::optional{run::find_worker(options.worker, environment.program_dir)};
  campaign::Planned planned =
      campaign::make_plan_here({.file = options.file, .set = options.set}, worker, context);
  const Chosen chosen = choose_case(std::move(planned.plan), options.case_id);
  const loader::ShowDataRequest request{
      .samples = options.samples,
      .batches = options.batches,
      .png = options.png,
      .json = options.format == "json",
      .title = chosen.title,
      .columns = environment.terminal_columns,
  };
  const bool here = !worker && loader::previews_without_torch(chosen.resolved);
  environment.out << (here ? loader::show_data(chosen.resolved, request, loader::engines(),
                                               loader::order_without_torch)
                           : run::data_shown_by(
                                 worker ? *worker : run::find_worker("", environment.program_dir),
                                 chosen.resolved, loader::encode(request)));
  return kExitOk;
}

}  // namespace

void add_data_show(Command& command) {
  DataShowOptions& options = command.calls(show_data_of);
  add_experiment(command, options.file).required();
  add_set(command, options.set);
  command.option(kCaseOptions, "--case ID", options.case_id, "The case whose id begins with ID")
      .common();
  const auto add_count = [&](const std::string& flag, std::int64_t& count, const char* doc,
                             std::int64_t most) -> CommandOption& {
    return command.option(kOutputOptions, flag, count, doc).with_default().whole_number(1, most);
  };
  add_count("--samples N", options.samples, "Samples shown one by one, and as pictures", 400)
      .common();
  add_count("--batches N", options.batches,
            "Batches read; more where --samples needs them, at most an epoch", 1'000'000'000);
  add_worker(command, options.worker);
  command
      .option(kOutputOptions, "--png DIR", options.png,
              "Write the samples, where they are pictures, as files into this folder")
      .common();
  add_format(command, options.format, {"text", "json"});
}

namespace {

void make_and_report(const data::Maker& maker, const data::MakerValues& values,
                     const Environment& environment) {
  const std::int64_t count = values.at(maker.counted);
  data::MakeProgress progress;
  if (environment.err_is_terminal) {
    progress = [&](std::int64_t done) {
      environment.err << formatted("\r{} of {} {}", text::with_separators(done),
                                   text::with_separators(count), maker.counted)
                      << std::flush;
    };
  }
  const data::MadeFolder made = data::make_data(maker, values, progress);
  if (environment.err_is_terminal) environment.err << "\r\033[K" << std::flush;
  const auto bytes = static_cast<double>(made.bytes);
  environment.out << formatted("{}: {} {}, {}, {} each on average{}\n",
                               text::printable(values.out.string()), text::with_separators(count),
                               maker.counted, text::byte_text(bytes),
                               text::byte_text(bytes / static_cast<double>(count)),
                               made.made == 0 ? " (already there)" : "");
}

void add_option(Command& command, const data::MakerOption& option, data::MakerValues& values) {
  std::int64_t& value = values.options[option.name];
  const std::string flag = "--" + option.name;
  if (option.choices.empty()) {
    command.option(kOptions, flag + " N", value, option.doc)
        .with_default()
        .whole_number(option.min, option.max);
    return;
  }
  const auto take = [&value, &option](const std::string& chosen) {
    value = std::ranges::find(option.choices, chosen) - option.choices.begin();
  };
  command.option_function(kOptions, flag, take, option.doc)
      .with_default(option.choices.at(static_cast<std::size_t>(option.default_value)))
      .one_of(option.choices);
}

void add_maker(Command& make, const data::Maker& maker) {
  Command& command = make.add(maker.kind, maker.doc, "Examples:\n" + maker.examples);
  const auto values = std::make_shared<data::MakerValues>(data::maker_values(maker, {}));
  command
      .option(kOptions, "--out DIR", values->out,
              "Folder to make; it must be new, empty, or hold the same set")
      .required();
  for (const data::MakerOption& option : maker.options) add_option(command, option, *values);
  command.on_call = [&maker, values, &environment = *make.environment] {
    make_and_report(maker, *values, environment);
    return kExitOk;
  };
}

}  // namespace

void add_data_make(Command& make) {
  make.needs_command = true;
  for (const data::Maker* maker : data::makers()) add_maker(make, *maker);
}

}  // namespace stepbench::cli
