// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "tools/stepbench/commands.h"
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

void add_option(Command command, const data::MakerOption& option, data::MakerValues& values) {
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

void add_maker(Command make, const data::Maker& maker) {
  const Command command = make.add(maker.kind, maker.doc, "Examples:\n" + maker.examples);
  const auto values = std::make_shared<data::MakerValues>(data::maker_values(maker, {}));
  command
      .option(kOptions, "--out DIR", values->out,
              "Folder to make; it must be new, empty, or hold the same set")
      .required();
  for (const data::MakerOption& option : maker.options) add_option(command, option, *values);
  command.on_call([&maker, values, &environment = make.environment()] {
    make_and_tell(maker, *values, environment);
    return kExitOk;
  });
}

}  // namespace

void add_data(Command app) {
  const Command data =
      app.add("data", "Make data sets to measure with; show what a loader delivers");
  data.needs_command();
  add_data_show(data);
  const Command make = data.add(
      "make", "Make a data set of a given kind (data.kind)",
      "Example:\n  stepbench data make jpeg_folder --images 512 --classes 10 --out "
      "data/imagefolder\n\nThe same options give the same files, byte for byte. What is there "
      "already is kept, so an interrupted\ncall can be repeated. `stepbench data make KIND --help` "
      "has the options of each kind.");
  make.needs_command();
  for (const data::Maker* maker : data::makers()) add_maker(make, *maker);
}

}  // namespace stepbench::cli
