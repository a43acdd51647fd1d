// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/data_show.h"
#include "tools/stepbench/options.h"
#include "workloads/data/data_kinds.h"

namespace stepbench::cli {
namespace {

void make_and_tell(const data::Maker& maker, const data::MakerValues& values,
                   const Environment& environment) {
  const std::int64_t count = values.at(maker.counted);
  data::MakeProgress progress;
  if (environment.err_is_terminal) {
    progress = [&](std::int64_t done) {
      environment.err << "\r" << text::with_separators(done) << " of "
                      << text::with_separators(count) << " " << maker.counted << std::flush;
    };
  }
  const data::MadeFolder made = data::make_data(maker, values, progress);
  if (environment.err_is_terminal) environment.err << "\r\033[K" << std::flush;
  environment.out << text::printable(values.out.string()) << ": " << text::with_separators(count)
                  << " " << maker.counted << ", "
                  << text::byte_text(static_cast<double>(made.bytes)) << ", "
                  << text::byte_text(static_cast<double>(made.bytes) / static_cast<double>(count))
                  << " each on average";
  if (made.made == 0) environment.out << " (already there)";
  environment.out << "\n";
}

void add_option(CLI::App& command, const data::MakerOption& option, data::MakerValues& values) {
  std::int64_t& value = values.options[option.name];
  if (option.choices.empty()) {
    CLI::Option* number = command.add_option("--" + option.name, value, option.doc)
                              ->capture_default_str()
                              ->type_name("N");
    expect_whole_number(*number, option.min, option.max);
    return;
  }
  std::map<std::string, std::int64_t> positions;
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    positions[option.choices[i]] = static_cast<std::int64_t>(i);
  }
  CLI::Option* choice =
      command
          .add_option_function<std::string>(
              "--" + option.name,
              [&value, positions](const std::string& chosen) { value = positions.at(chosen); },
              option.doc)
          ->default_str(option.choices.at(static_cast<std::size_t>(option.default_value)));
  expect_one_of(*choice, option.choices);
}

void add_maker(CLI::App& make, const data::Maker& maker, const Environment& environment,
               int& exit_code) {
  CLI::App* command = make.add_subcommand(maker.kind, maker.doc);
  const auto values = std::make_shared<data::MakerValues>(data::maker_values(maker, {}));
  command
      ->add_option("--out", values->out,
                   "Folder to make; it must be new, empty, or hold the same set")
      ->required()
      ->type_name("DIR");
  for (const data::MakerOption& option : maker.options) add_option(*command, option, *values);
  command->footer("Examples:\n" + maker.examples);
  command->callback([&maker, values, &environment, &exit_code] {
    make_and_tell(maker, *values, environment);
    exit_code = kExitOk;
  });
}

}  // namespace

void add_data(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* data =
      app.add_subcommand("data", "Make data sets to measure with; show what a loader delivers");
  data->require_subcommand(1);
  add_data_show(*data, environment, exit_code);
  CLI::App* make = data->add_subcommand("make", "Make a data set of a given kind (data.kind)");
  make->require_subcommand(1);
  make->footer(
      "Example:\n  stepbench data make jpeg_folder --images 512 --classes 10 --out "
      "data/imagefolder\n\nThe same options give the same files, byte for byte. What is there "
      "already is kept, so an interrupted\ncall can be repeated. `stepbench data make KIND --help` "
      "has the options of each kind.");
  for (const data::Maker* maker : data::makers()) add_maker(*make, *maker, environment, exit_code);
}

}  // namespace stepbench::cli
