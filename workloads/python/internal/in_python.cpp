// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/in_python.h"

#include <string>

#include "harness/base/error.h"
#include "harness/base/not_measurable.h"

namespace stepbench::python {

namespace py = pybind11;

std::exception_ptr to_cpp(py::error_already_set& error) {
  try {
    const py::module_ user_file = py::module_::import("stepbench_user_code.user_file");
    const py::object value = error.value();
    if (error.trace()) value.attr("__traceback__") = error.trace();
    if (py::isinstance(value, user_file.attr("UserError"))) {
      return std::make_exception_ptr(
          ConfigError(value.attr("where").cast<std::string>(), py::str(value).cast<std::string>()));
    }
    if (py::isinstance(value, user_file.attr("Unavailable"))) {
      return std::make_exception_ptr(NotMeasurable(py::str(value).cast<std::string>()));
    }
    user_file.attr("print_traceback")(value);
    return std::make_exception_ptr(Error(user_file.attr("reason_of")(value).cast<std::string>()));
  } catch (const std::exception&) {
    return std::make_exception_ptr(Error(error.what()));
  }
}

}  // namespace stepbench::python
