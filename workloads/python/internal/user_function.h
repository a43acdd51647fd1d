// SPDX-License-Identifier: Apache-2.0
// Functions of the user's files, called with the arguments under `python` that they accept.
// Implemented by stepbench_user_code/user_file.py. Requires the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "harness/base/resolved_case.h"

namespace stepbench::python {

// A function called by a case, in the file that an option names.
struct UserFunction {
  std::string option;  // "data.path"
  std::string path;
  std::string name;  // "dataset"
};

// True if batches come from loader() of the user's file, instead of a Dataset of dataset().
[[nodiscard]] bool takes_iterable(const ResolvedCase& resolved);

// All functions of the case that take arguments of the user.
[[nodiscard]] std::vector<UserFunction> user_functions(const ResolvedCase& resolved);

// The options under `python` as texts, by name without the section.
[[nodiscard]] pybind11::dict python_arguments(const ResolvedCase& resolved);

// Calls the function. `offered`: arguments of stepbench that are passed if the function takes them,
// such as rank and world. Throws error_already_set of UserError if the function is missing, does
// not take the given arguments, or throws.
[[nodiscard]] pybind11::object call_user_function(
    const ResolvedCase& resolved, const UserFunction& function, const pybind11::dict& offered,
    const pybind11::tuple& positional = pybind11::tuple());

// Digest of these files and the modules that they imported from their folders; valid when all is
// imported.
[[nodiscard]] std::string digest_of_files(const std::vector<std::string>& paths);

}  // namespace stepbench::python
