// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/iterable_engine.h"

#include <array>
#include <string>

#include "workloads/data/python_kind.h"
#include "workloads/loader/python_engine.h"

namespace stepbench::loader {
namespace {

// Options that cannot be passed on to loader(), with their neutral value.
struct NotOffered {
  const char* option;
  const char* neutral;
};
constexpr std::array kNotOffered = {
    NotOffered{"loader.affinity", "none"}, NotOffered{"loader.buffers", "fresh"},
    NotOffered{"loader.sampler", ""}, NotOffered{"loader.epochs", "separate"}};

void check_iterable(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  if (resolved.text("data.kind") != data::kPythonName) {
    refuse("loader.engine",
           "engine iterable takes its batches from loader() of a Python file "
           "(data.kind: python), and this is " +
               resolved.text("data.kind") + "; set engine: thread, or write a loader()");
    return;
  }
  if (resolved.text_or("transfer.placement", "") == "upstream") {
    refuse("transfer.placement",
           "upstream needs a data set of known size, and engine iterable has "
           "batches alone");
  }
  for (const auto& [option, neutral] : kNotOffered) {
    const std::string value = resolved.text_or(option, neutral);
    if (value != neutral && !facts.swept) {
      sink.error(option, value +
                             " means nothing to engine iterable, whose loader() decides that; "
                             "leave it out");
    }
    if (resolved.has(option)) resolved.options[option] = Value{};
  }
  resolved.options["loader.epochs"] = std::string("separate");
}

}  // namespace

bool runs_python(const Engine& engine) {
  return engine.variant.name == data::kPythonName || engine.variant.name == kIterableName;
}

Engine iterable_engine() {
  return {.variant = {.name = kIterableName,
                      .doc = "Any Python iterable of batches (SPDL, webdataset, grain, a "
                             "generator): what loader() in data.path returns. An epoch ends where "
                             "the iterable ends. Options of `loader` are for loader() to take, by "
                             "name."},
          .reads_alone = true,
          .forks = true,
          .check = check_iterable,
          .make = python_engine().make};
}

}  // namespace stepbench::loader
