// SPDX-License-Identifier: Apache-2.0
#include "harness/track/environment_key.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/compare/environment_match.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::track {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// "6.18.44-fc-v669" -> "6.18", "Ubuntu 22.04.4 LTS" -> "Ubuntu 22.04": drops patch versions.
std::string first_two_numbers(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  const auto skip_digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  skip_digits();
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    skip_digits();
  }
  return std::string(text.substr(0, at));
}

// "/opt/a/lib:/opt/b/libtcmalloc.so" -> "lib:libtcmalloc.so": a job's folder differs nightly.
std::string last_parts(std::string_view paths) {
  std::string text;
  while (!paths.empty()) {
    const std::size_t end = std::min(paths.find(':'), paths.size());
    std::string_view path = paths.substr(0, end);
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    text += (text.empty() ? "" : ":") + std::string(path.substr(path.rfind('/') + 1));
    paths.remove_prefix(std::min(end + 1, paths.size()));
  }
  return text;
}

// A value that the machine measures each time, not a setting.
bool is_reading(std::string_view name, const Value& value) {
  if (name.ends_with("_khz") || name.ends_with("_mhz") || name.ends_with("bogomips")) return true;
  const bool text = std::holds_alternative<std::string>(value);
  return !text && (name.find("clock") != std::string_view::npos ||
                   name.find("free") != std::string_view::npos ||
                   name.find("temperature") != std::string_view::npos);
}

Value lasting(std::string_view name, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return value;
  if (name == "kernel" || name == "os") return first_two_numbers(*text);
  if (name == "cpu.affinity") {
    // A job gets different CPUs each time; only their number matters.
    const auto cpus = text::parse_cpu_list(*text);
    return cpus ? Value{text::counted(static_cast<std::int64_t>(cpus->size()), "CPU")} : value;
  }
  if (name.starts_with("env.") && text->find('/') != std::string::npos) return last_parts(*text);
  return value;
}

bool is_machine(std::string_view name) {
  return name.starts_with("cpu") || name.starts_with("gpu");
}

bool was_left_open(const record::LaunchRow& launch, std::string_view option) {
  const auto asked = launch.options.find(option);
  return asked != launch.options.end() &&
         (is_null(asked->second) || to_text(asked->second) == "auto");
}

// Options that the machine decides if set to auto. The number of measured steps is not one of them.
bool is_surrounding(const record::LaunchRow& launch, std::string_view option) {
  constexpr std::array<std::string_view, 4> kOfTheRun = {"schedule.", "limits.", "profile.",
                                                         "compare."};
  if (option == "data.digest") return true;
  if (compare::class_of(option, true) == compare::FieldClass::kInformative) return false;
  return was_left_open(launch, option) &&
         std::none_of(kOfTheRun.begin(), kOfTheRun.end(),
                      [&](std::string_view section) { return option.starts_with(section); });
}

bool is_on_gpu(const record::LaunchRow& launch) {
  return text_of(launch.report.effective, "device", text_of(launch.options, "device"))
      .starts_with("cuda");
}

}  // namespace

EnvironmentKey environment_key_of(const record::LaunchRow& launch, const Fields& environment) {
  EnvironmentKey found;
  const bool on_gpu = is_on_gpu(launch);
  for (const auto& [name, value] : environment) {
    if (is_null(value)) continue;
    const compare::FieldClass meaning = compare::class_of(name, on_gpu);
    if (meaning == compare::FieldClass::kInformative || is_reading(name, value)) continue;
    // Versions of CUDA and cuDNN do not affect a case on the CPU.
    if (!on_gpu && name.starts_with("cud")) continue;
    // The instruction set that torch chose is a property of the machine.
    if ((meaning == compare::FieldClass::kMustMatch && is_machine(name)) ||
        name == "cpu_capability") {
      found.machine.emplace(name, value);
    } else {
      found.cohort.emplace(name, lasting(name, value));
    }
  }
  for (const auto& [name, value] : launch.report.effective) {
    if (is_null(value) || !is_surrounding(launch, name)) continue;
    // Devices of one machine are equivalent: cuda:1 and cuda:0 are the same.
    const std::string text = to_text(value);
    found.cohort.insert_or_assign(name,
                                  name == "device" ? Value{text.substr(0, text.find(':'))} : value);
  }
  return found;
}

}  // namespace stepbench::track
