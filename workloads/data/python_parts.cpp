// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/python_parts.h"

#include <string>
#include <vector>

#include "workloads/data/dataset.h"

namespace stepbench::data {

DataKind python_kind() {
  return {
      .variant = {.name = kPythonName,
                  .doc = "A Dataset of your own: the file data.path defines dataset(), and may "
                         "define collate(), sampler(), batch_sampler() and worker_init(). Needs "
                         "loader.engine: python. Arguments stand under `python`.",
                  .options = {path_option("The Python file. Modules beside it can be imported."),
                              classes_option(Value{},
                                             "Number of classes. Unset: len(dataset.classes), "
                                             "where the data set has that.")}},
      .input = [](const ResolvedCase&) { return InputKind::kAny; }};
}

bool uses_python(const ResolvedCase& resolved) {
  return resolved.workload == "python_step" || resolved.text_or("data.kind", "") == kPythonName ||
         resolved.text_or("model.kind", "") == kPythonName;
}

Section python_section() {
  return {.name = "python",
          .doc =
              "Arguments of the functions in your own Python files, by name; sweepable as "
              "python.NAME. Each function gets those that it takes. true, false, null and "
              "numbers are what they are in Python; all else is a str.",
          .selector = {},
          .open = true};
}

void check_python_arguments(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (uses_python(resolved)) return;
  std::vector<std::string> arguments;
  for (const auto& [name, value] : resolved.options) {
    if (name.starts_with("python.") && !is_null(value)) arguments.push_back(name);
  }
  for (const std::string& name : arguments) {
    if (!facts.swept) {
      sink.error(name,
                 "no part of this case is written in Python; set data.kind or model.kind: python, "
                 "or leave it out");
    }
    resolved.options[name] = Value{};
  }
}

}  // namespace stepbench::data
