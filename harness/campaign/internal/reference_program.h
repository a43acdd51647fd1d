// SPDX-License-Identifier: Apache-2.0
// The reference programs of nights. They are kept in KEEP/BUILD/: an executable with the files next
// to it that it names, or a Python script with the tracked files of its folder. A history may be
// damaged or foreign, so everything is verified before it is started or removed. Runs git; main
// thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/internal/context.h"
#include "harness/campaign/run_experiment.h"
#include "harness/nights/night_store.h"

namespace stepbench::campaign {

inline constexpr std::uintmax_t kMaxProgramBytes = std::uintmax_t{10} << 20;  // sum of all files

struct ScriptInterpreter {
  std::string path = {};      // absolute
  std::string versions = {};  // "cpython 3.11.7, torch 2.11.0"; empty: it does not answer
};

struct NightProgram {
  std::string build = {};                         // digest of all kept files
  std::filesystem::path program = {};             // absolute path; for a Python script, the script
  std::vector<std::filesystem::path> files = {};  // other files, relative to its folder
  std::string why_not = {};             // why it cannot be kept, as a sentence; empty: it can
  std::vector<std::string> notes = {};  // possible dependencies that are not kept
  // The one Python that measures all cases of a script, which is part of the build. A copy of the
  // script records its path; the interpreter itself is not copied.
  ScriptInterpreter interpreter = {};
  bool is_script = false;
};
// `run` must have been planned with a worker; `variables`: of this process.
[[nodiscard]] NightProgram night_program(const PlannedRun& run,
                                         const machine::Variables& variables = {});

// Copies the program to KEEP/BUILD/ and records it in the history, unless it is there and complete.
// Copies rather than links, because the next build may overwrite the program. An incomplete copy
// never appears under the build's name. Returns the reason if it cannot be kept; empty on success.
[[nodiscard]] std::string store_program(nights::TrackStore& store, const NightProgram& program,
                                        const std::filesystem::path& keep, std::string_view host,
                                        const std::string& now_utc);

// Returns the location of that build on this host: a complete copy, or the original program while
// it is still that build. nullopt: not found.
[[nodiscard]] std::optional<std::filesystem::path> find_program(nights::TrackStore& store,
                                                                const std::string& build,
                                                                std::string_view host,
                                                                const nights::TrackedRun* run);

// Returns why the folder was not made for this program; empty: it was, or does not exist.
[[nodiscard]] std::string foreign_build_reason(const nights::StoredBuild& stored);
[[nodiscard]] std::uint64_t bytes_below(const std::filesystem::path& home);

// The interpreter that measured a stored script; no path: it is not a script, or was stored
// without.
[[nodiscard]] ScriptInterpreter stored_interpreter(const std::filesystem::path& program);

enum class InterpreterState : std::uint8_t {
  kUnchanged,    // runs the reference
  kReplaceable,  // tonight's runs it: the same versions, or an environment upgraded in place
  kMissing       // removed, or with other versions than it was measured with
};
[[nodiscard]] InterpreterState state_of(const ScriptInterpreter& stored,
                                        const ScriptInterpreter& tonight);

struct ChosenReference {
  NightProgram tonight = {};
  nights::StoredReference stored_program = {};
  std::optional<PairedReference> paired_reference = {};  // nullopt: see `why`
  nights::NightReason why = nights::NightReason::kMeasured;
  std::string reason = {};  // a sentence, if `why` is not enough
};
// `tonight` must have been planned with tonight's program; `experiment`: its name in the history.
[[nodiscard]] ChosenReference choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                               const std::string& experiment,
                                               nights::TrackStore& store, std::string_view host,
                                               const CampaignContext& context);

}  // namespace stepbench::campaign
