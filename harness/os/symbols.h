// SPDX-License-Identifier: Apache-2.0
// Functions of a library loaded at run time.
#pragma once

#include <dlfcn.h>

#include <string>

namespace stepbench::os {

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  [[nodiscard]] Function* find(const char* name) {
    void* found = ::dlsym(library_, name);
    if (found == nullptr && missing_.empty()) missing_ = name;
    return reinterpret_cast<Function*>(found);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }  // the first; empty: none

 private:
  void* library_;
  std::string missing_;
};

}  // namespace stepbench::os
