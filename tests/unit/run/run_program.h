// SPDX-License-Identifier: Apache-2.0
// `stepbench run` on the stub worker in its own folder, and its leftovers.
#pragma once

#include <sys/types.h>

#include "harness/os/descriptor.h"
#include "harness/os/process.h"
#include "harness/record/result_file.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::testing {

// A run in progress; its standard error is read here.
class StartedRun {
 public:
  StartedRun(pid_t pid, os::Descriptor err) : pid_(pid), err_(std::move(err)) {}
  [[nodiscard]] bool read_line(std::string& line);  // false at the end
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int wait();  // exit status, 128 + signal when killed by one; drains standard error

 private:
  pid_t pid_;
  os::Descriptor err_;
  std::string buffer_;
};

class RunProgram {
 public:
  explicit RunProgram(std::string_view yaml = {});
  RunProgram(const RunProgram&) = delete;
  RunProgram& operator=(const RunProgram&) = delete;

  const test::TemporaryFolder own_folder;
  const fs::path folder = own_folder.path();
  fs::path worker;                       // the stub; a test may put its own script here
  bool ab = false;                       // `stepbench ab` with the worker in both arms
  std::vector<std::string> prefix = {};  // words before the program's command line

  void config(std::string_view yaml) const;
  fs::path script(const std::string& name,
                  const std::string& body) const;  // an executable sh script
  // A worker that runs `lines` of sh and then continues as $stub.
  [[nodiscard]] fs::path stub_after(const std::string& lines) const;
  [[nodiscard]] os::CommandResult run(const std::vector<std::string>& arguments = {}) const;
  [[nodiscard]] os::CommandResult resume(const std::vector<std::string>& arguments = {}) const;
  [[nodiscard]] StartedRun start(const std::vector<std::string>& arguments = {}) const;
  // The command line of start().
  [[nodiscard]] std::vector<std::string> command_to_start(
      const std::vector<std::string>& arguments = {}) const;

  [[nodiscard]] fs::path run_dir() const;  // the only one
  [[nodiscard]] record::Results results() const { return record::read_results(run_dir()); }
  [[nodiscard]] const record::LaunchRow& launch_with(const record::Results& results,
                                                     const std::string& behaviour) const;

  // Processes, shared segments and files that nobody will remove; empty if there are none. Waits a
  // while for processes that are being killed. A `killed` controller may leave its notes, which
  // the next run reads and removes.
  [[nodiscard]] std::vector<std::string> leftovers(bool killed = false) const;

 private:
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::vector<std::string> processes() const;
  std::string token_;  // in the environment of all its processes
};

// Standard config: `behaviours` one case each, one launch, small and quick.
[[nodiscard]] std::string yaml_with(const std::string& behaviours, const std::string& more = "");

// Polls until the file is there; false after ten minutes.
[[nodiscard]] bool appears(const fs::path& file);

}  // namespace stepbench::testing
