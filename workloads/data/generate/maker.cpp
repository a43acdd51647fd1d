// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/maker.h"

#include <utility>

#include "harness/base/error.h"

namespace stepbench::data {

MakerOption seed_option() {
  return {"seed", "The same options give the same files, byte for byte", 0, 0, INT64_MAX};
}

MakerOption samples_option(std::int64_t default_value) {
  return {"samples", "Number of samples", default_value, 1, 1'000'000'000};
}

MakerOption label_classes_option(std::int64_t default_value, std::int64_t max) {
  return {"classes", "Number of classes; sample i has label i modulo classes", default_value, 1,
          max};
}

MakerOption size_option() {
  return {"size", "Height and width of an image in pixels", 32, 1, 4096};
}

MakerOption channels_option() { return {"channels", "Planes of an image", 3, 1, 1024}; }

MakerValues maker_values(const Maker& maker, std::filesystem::path out) {
  MakerValues values{.out = std::move(out)};
  for (const MakerOption& option : maker.options) {
    values.options[option.name] = option.default_value;
  }
  return values;
}

std::string maker_manifest(const Maker& maker, const MakerValues& values) {
  std::string text = "Made by stepbench data make " + maker.kind + "; version 1\n";
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    text += option.name + " " +
            (option.choices.empty() ? std::to_string(value)
                                    : option.choices.at(static_cast<std::size_t>(value))) +
            "\n";
  }
  return text;
}

MadeFolder make_data(const Maker& maker, const MakerValues& values, const MakeProgress& progress) {
  for (const MakerOption& option : maker.options) {
    const std::int64_t value = values.at(option.name);
    if (value >= option.min && value <= option.max) continue;
    throw ConfigError("--" + option.name, std::to_string(value) + " is outside " +
                                              std::to_string(option.min) + " to " +
                                              std::to_string(option.max));
  }
  return maker.make(values, progress);
}

}  // namespace stepbench::data
