// SPDX-License-Identifier: Apache-2.0
// The exceptions of this project.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace stepbench {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The configuration, the command line, an input file or the environment is wrong, and the user can
// fix it. `where` is something to open or type: "sweep.yaml:12:5", "--shard",
// "data/train/cat/7.jpg".
class ConfigError : public Error {
 public:
  ConfigError(std::string where, const std::string& what)
      : Error(where + ": " + what), where_(std::move(where)) {}
  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  std::string where_;
};

// A termination signal arrived and is still pending. Not an Error: callers that recover from an
// Error must not swallow it.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

}  // namespace stepbench
