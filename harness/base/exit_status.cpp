// SPDX-License-Identifier: Apache-2.0
#include "harness/base/exit_status.h"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <typeinfo>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench {
namespace {

std::string type_name(const std::exception& error) {
  int status = 0;
  const char* const mangled = typeid(error).name();
  const std::unique_ptr<char, void (*)(void*)> name{
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free};
  return status == 0 && name ? name.get() : mangled;
}

Failure bug(const std::string& what, std::string_view command) {
  return {kExitBug, formatted("internal error in `{}`: {}\nThis is a bug in the program, not a "
                              "mistake in your configuration: please report it with this message, "
                              "the whole command line and the output of `stepbench --version`.",
                              command, what)};
}

}  // namespace

Failure failure_of(const std::exception& error, std::string_view command) {
  if (const auto* by_signal = dynamic_cast<const Interrupted*>(&error)) {
    return {exit_status_of_signal(by_signal->signal()), by_signal->what()};
  }
  if (const auto* by_file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return {kExitUsage, by_file->path1().string() + ": " + by_file->code().message()};
  }
  if (dynamic_cast<const Error*>(&error) != nullptr ||
      dynamic_cast<const std::system_error*>(&error) != nullptr) {
    return {kExitUsage, error.what()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {kExitUsage, "out of memory"};
  return bug(formatted("{} ({})", error.what(), type_name(error)), command);
}

Failure unknown_failure(std::string_view command) {
  return bug("an exception of unknown type", command);
}

}  // namespace stepbench
