// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/internal/load_plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/plan/option_index.h"
#include "harness/text/words.h"
#include "workloads/model/model_section.h"

namespace stepbench::model {
namespace {

constexpr const char* kOptionName = "model.path";
constexpr std::string_view kPrefix = "plugin.";
constexpr const char* kCompiler = "g++ " __VERSION__;

std::string_view first_number(std::string_view compiler) {
  return compiler.substr(0, compiler.find('.'));
}

// Versions are shown as "stepbench 0.1.0": `what`, then the version.
void require_equal(const std::string& path, const std::string& what, std::string_view theirs,
                   std::string_view ours) {
  if (theirs == ours) return;
  throw ConfigError(kOptionName, path + " was built for " + what + " " + std::string(theirs) +
                                     ", and this is " + what + " " + std::string(ours) +
                                     "; build it against the installed package of this one");
}

void check_versions(const std::string& path, const Plugin& plugin) {
  require_equal(path, "plug-in interface", std::to_string(plugin.abi), std::to_string(kPluginAbi));
  require_equal(path, "stepbench", plugin.stepbench_version, STEPBENCH_VERSION);
  require_equal(path, "torch", plugin.torch_version, TORCH_VERSION);
  if (first_number(plugin.compiler) != first_number(kCompiler)) {
    require_equal(path, "compiler", plugin.compiler, kCompiler);
  }
  if (plugin.make == nullptr)
    throw ConfigError(kOptionName, path + " has no function that makes it");
}

std::vector<Option> options_of(const Plugin& plugin) {
  const std::string text =
      std::string(R"({"stepbench_catalogue":)") + std::to_string(catalogue::kCatalogueVersion) +
      R"(,"sections":[{"name":"plugin","options":)" + plugin.options_json + "}]}";
  const Catalogue catalogue = catalogue::catalogue_from_json(text, "the plug-in's options");
  return catalogue.find_section("plugin")->options;
}

Value value_of(const Option& option, const Value& given, const std::string& name) {
  const auto* text = std::get_if<std::string>(&given);
  if (text == nullptr) return given;
  try {
    return plan::parse_value(option, *text, /*quoted=*/false);
  } catch (const ConfigError&) {
    throw;
  } catch (const Error& error) {
    throw ConfigError(name, error.what());
  }
}

}  // namespace

const Plugin& load_plugin(const std::string& path) {
  // Without a slash the linker would search its own folders.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    throw ConfigError(kOptionName,
                      path + " cannot be loaded: " + (reason == nullptr ? "" : reason));
  }
  const auto symbol = reinterpret_cast<PluginSymbol>(::dlsym(library, kPluginSymbol));
  const Plugin* plugin = symbol == nullptr ? nullptr : symbol();
  if (plugin == nullptr) {
    throw ConfigError(kOptionName, path + " is not a plug-in: it has no symbol " + kPluginSymbol +
                                       "(); see STEPBENCH_PLUGIN in workloads/model/plugin.h");
  }
  check_versions(path, *plugin);
  return *plugin;
}

void read_plugin_options(const Plugin& plugin, ResolvedCase& resolved) {
  const std::vector<Option> options = options_of(plugin);
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back(option.name);
  const OptionValues given = resolved.options;
  for (const auto& [name, value] : given) {
    if (!name.starts_with(kPrefix) || is_null(value)) continue;
    const std::string own = name.substr(kPrefix.size());
    if (std::find(names.begin(), names.end(), own) != names.end()) continue;
    throw ConfigError(name, "the plug-in has no option '" + own + "'" +
                                text::did_you_mean(own, names) + "; it has " +
                                (names.empty() ? "none" : text::join(names)));
  }
  for (const Option& option : options) {
    const std::string name = std::string(kPrefix) + option.name;
    const bool is_given = resolved.has(name);
    if (!is_given && option.required) {
      throw ConfigError(name, "is missing; the plug-in needs it: " + option.doc);
    }
    resolved.options[name] =
        is_given ? value_of(option, given.at(name), name) : option.default_value;
  }
}

void check_plugin(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  if (!resolved.has("model.kind") || resolved.text("model.kind") != "plugin") return;
  try {
    read_plugin_options(load_plugin(resolved.text("model.path")), resolved);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    sink.error(error.where(), what.substr(error.where().size() + 2));
  }
}

std::unique_ptr<Model> make_plugin(const ResolvedCase& resolved, const DataShape& data) {
  const std::string& path = resolved.text("model.path");
  const Plugin& plugin = load_plugin(path);
  ResolvedCase filled = resolved;
  read_plugin_options(plugin, filled);
  std::unique_ptr<Model> model = plugin.make(filled, data);
  if (model == nullptr) throw ConfigError(kOptionName, path + " made no model");
  return model;
}

}  // namespace stepbench::model
