// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/run_start.h"

#include <poll.h>

#include "harness/base/error.h"
#include "harness/machine/device_state.h"
#include "harness/machine/environment.h"
#include "harness/run/run_header.h"
#include "harness/run/wrap.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace fs = std::filesystem;

LockPolicy lock_policy(bool no_lock, bool wait_lock) {
  if (no_lock) return LockPolicy::kNone;
  return wait_lock ? LockPolicy::kWait : LockPolicy::kRefuse;
}

Progress make_progress(const Environment& environment, bool quiet, const Clock& clock) {
  return {environment.err,
          {.quiet = quiet,
           .terminal = environment.err_is_terminal,
           .columns = environment.terminal_columns},
          clock};
}

void add_devices(const Plan& plan, std::set<std::string>& devices) {
  for (const PlannedCase& planned : plan.cases) {
    if (!planned.skip)
      devices.insert(planned.resolved.has("device") ? planned.resolved.text("device") : "cpu");
  }
}

std::optional<std::vector<DeviceLock>> lock_devices(const std::set<std::string>& devices,
                                                    LockPolicy policy, Interrupts& interrupts,
                                                    Progress& progress) {
  std::vector<DeviceLock> locks;
  if (policy == LockPolicy::kNone) return locks;
  const fs::path directory = lock_directory();
  for (const std::string& device : devices) {
    for (bool said = false;;) {
      std::string holder;
      if (auto lock = DeviceLock::try_acquire(directory, device, holder)) {
        locks.push_back(std::move(*lock));
        break;
      }
      const std::string who = "another run" + (holder.empty() ? "" : " (process " + holder + ")") +
                              " measures on device " + device;
      if (policy == LockPolicy::kRefuse) {
        throw ConfigError("stepbench",
                          who +
                              "; two at a time disturb each other: --wait-lock waits for its end, "
                              "--no-lock measures all the same");
      }
      if (!said) progress.say("waiting: " + who);
      said = true;
      pollfd wait{interrupts.descriptor(), POLLIN, 0};
      constexpr int kRetryMs = 200;
      if (::poll(&wait, 1, kRetryMs) > 0 && interrupts.take()) return std::nullopt;
    }
  }
  return locks;
}

fs::path make_run_dir(const fs::path& results, const std::string& run_id) {
  std::error_code error;
  fs::create_directories(results, error);
  for (int number = 1; !error && number < 1000; ++number) {
    const fs::path directory =
        results / (run_id + (number == 1 ? "" : "-" + std::to_string(number)));
    if (fs::create_directory(directory, error)) return directory;
  }
  throw ConfigError(results.string(),
                    "cannot make a folder for this run" + (error ? ": " + error.message() : ""));
}

std::string run_id_of(const fs::path& run_dir) {
  const fs::path path = fs::absolute(run_dir).lexically_normal();
  const std::string name = path.filename().string();
  return name.empty() ? path.parent_path().filename().string() : name;
}

void measure(RunSetup setup, const RunRow& header, const ColumnRow& columns, const Shard& shard,
             Agenda& agenda, Results& finished, Progress& progress, Interrupts& interrupts,
             const Clock& clock) {
  const fs::path run_dir = setup.run_dir;  // as it was written, for people
  setup.run_dir = fs::absolute(run_dir);
  const auto nvml = NvmlSession::open(load_nvml_api());
  setup.devices = nvml.get();
  const fs::path file = free_result_file(run_dir, host_name("/"), shard);
  try {
    ResultWriter writer{file};
    writer.write(header);
    writer.write(columns);
    Controller controller{setup, writer, progress, interrupts, clock};
    controller.run(agenda, finished);
  } catch (const Error& error) {
    progress.end();
    throw Error(std::string{error.what()} + "\nWhat was finished is kept in " + file.string() +
                "; go on with --resume " + shell_word(run_dir.string()));
  }
}

}  // namespace stepbench::cli
