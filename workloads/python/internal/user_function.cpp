// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/user_function.h"

#include <pybind11/stl.h>

#include "workloads/data/python_parts.h"
#include "workloads/loader/engines.h"

namespace stepbench::python {

namespace py = pybind11;

bool takes_iterable(const ResolvedCase& resolved) {
  return resolved.text_or("loader.engine", "") == loader::kIterableName;
}

std::vector<UserFunction> user_functions(const ResolvedCase& resolved) {
  std::vector<UserFunction> functions;
  if (resolved.text_or("data.kind", "") == data::kPythonName) {
    const auto add = [&](const char* name) {
      functions.push_back({"data.path", resolved.text("data.path"), name});
    };
    if (takes_iterable(resolved)) {
      add("loader");
    } else {
      for (const char* name : {"dataset", "sampler", "batch_sampler"}) add(name);
    }
  }
  if (resolved.text_or("model.kind", "") == data::kPythonName) {
    functions.push_back({"model.path", resolved.text("model.path"), "model"});
  }
  return functions;
}

py::dict python_arguments(const ResolvedCase& resolved) {
  constexpr std::string_view kPrefix = "python.";
  py::dict arguments;
  for (const auto& [name, value] : resolved.options) {
    if (!name.starts_with(kPrefix) || is_null(value)) continue;
    arguments[py::str(name.substr(kPrefix.size()))] = to_text(value);
  }
  return arguments;
}

py::object call_user_function(const ResolvedCase& resolved, const UserFunction& function,
                              const py::dict& offered, const py::tuple& positional) {
  py::list others;
  for (const UserFunction& other : user_functions(resolved)) {
    others.append(py::make_tuple(other.option, other.path, other.name));
  }
  return py::module_::import("stepbench_user_code.user_file")
      .attr("call")(function.option, function.path, function.name, python_arguments(resolved),
                    offered, others, positional);
}

std::string digest_of_files(const std::vector<std::string>& paths) {
  return py::module_::import("stepbench_user_code.user_file")
      .attr("digest")(paths)
      .cast<std::string>();
}

}  // namespace stepbench::python
