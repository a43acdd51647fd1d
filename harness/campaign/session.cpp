// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/session.h"

#include <chrono>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/run_folder.h"
#include "harness/machine/device_state.h"
#include "harness/machine/environment.h"
#include "harness/run/launch.h"
#include "harness/text/words.h"

namespace stepbench::campaign {

namespace fs = std::filesystem;

Session::Session(const Launching& launching) : launching_(launching) { run::become_subreaper(); }

bool Session::begin(const std::set<std::string>& devices, LockPolicy policy) {
  auto locks =
      lock_devices(lock_directory(), devices, policy, launching_.interrupts, launching_.progress);
  if (!locks) return false;
  locks_ = std::move(*locks);
  run::remove_stale_segments("/dev/shm");
  if (const std::string ended = run::end_orphans(); !ended.empty())
    launching_.progress.print_line(ended);
  host_ = machine::host_environment("/", launching_.context.devices);
  return true;
}

record::RunRow Session::header(const run::RunFacts& facts) const {
  record::RunRow row = run::make_run_header(facts, host_, machine::git_state(fs::current_path()),
                                            std::chrono::system_clock::now());
  row.argv = launching_.context.argv;
  row.stepbench_version = launching_.context.stepbench_version;
  return row;
}

record::Results Session::resume(const std::string& folder) {
  record::Results earlier = earlier_results(folder);
  for (const std::string& warning : earlier.warnings)
    launching_.progress.print_line("warning: " + warning);
  return earlier;
}

fs::path Session::open_folder(const std::string& resume, const std::string& results,
                              record::RunRow& header) {
  const fs::path folder =
      resume.empty() ? make_run_folder(results, header.run_id) : fs::path{resume};
  header.run_id = run_id_of(folder);
  return folder;
}

void Session::measure(RunSetup setup, const record::RunRow& header,
                      const record::ColumnRow& columns, const plan::Shard& shard,
                      run::Agenda& agenda, record::Results& finished) {
  const fs::path run_dir = setup.run_dir;  // as given, for messages
  setup.run_dir = fs::absolute(run_dir);
  setup.variables = launching_.context.variables;
  setup.program = launching_.context.program_dir / "stepbench";
  setup.host = host_;
  setup.columns = columns;
  const auto nvml = machine::NvmlSession::open(machine::load_nvml_api());
  setup.devices = nvml.get();
  run::refuse_running(run_dir, machine::host_name("/"), shard);
  const fs::path file = run::free_result_file(run_dir, machine::host_name("/"), shard);
  record::RunRow first = header;
  for (const RunArm& arm : setup.arms) {
    run::hide_secrets(first, run::secret_values(arm.plan, launching_.context.variables));
  }
  try {
    record::ResultWriter writer{file};
    writer.write(first);
    writer.write(columns);
    Controller controller{setup, writer, launching_};
    controller.run(agenda, finished);
  } catch (const Error& error) {
    launching_.progress.end();
    throw Error(formatted("{}\nWhat was finished is kept in {}; go on with --resume {}",
                          error.what(), file.string(), text::shell_word(run_dir.string())));
  }
}

std::string interrupted_text(const fs::path& run_folder) {
  return "interrupted; go on with --resume " + text::shell_word(run_folder.string());
}

}  // namespace stepbench::campaign
