// SPDX-License-Identifier: Apache-2.0
// Functions of the user's files, called with the arguments under `python` that they take. The work
// is done by stepbench_hosted/user_file.py. With the interpreter's lock held.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "harness/base/resolved_case.h"

namespace stepbench::python {

// A function that a case calls, in the file that an option names.
struct UserFunction {
  std::string option;  // "data.path"
  std::string path;
  std::string name;  // "dataset"
};

// Whether batches come from loader() of the user's file, in place of a Dataset of dataset().
[[nodiscard]] bool takes_iterable(const ResolvedCase& resolved);

// All functions of the case that take arguments of the user's.
[[nodiscard]] std::vector<UserFunction> user_functions(const ResolvedCase& resolved);

// The options under `python`, by name without the section, as texts.
[[nodiscard]] pybind11::dict python_arguments(const ResolvedCase& resolved);

// Calls it. `offered` are arguments that stepbench gives where the function takes them, as rank and
// world. Throws error_already_set: of UserError where there is no such function, where it does not
// take what is given, and for what it throws itself.
[[nodiscard]] pybind11::object call_user_function(
    const ResolvedCase& resolved, const UserFunction& function, const pybind11::dict& offered,
    const pybind11::tuple& positional = pybind11::tuple());

// Of the content of these files and of the modules that they imported from their folders: to be
// asked when all is imported.
[[nodiscard]] std::string digest_of_files(const std::vector<std::string>& paths);

}  // namespace stepbench::python
