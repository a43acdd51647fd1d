// SPDX-License-Identifier: Apache-2.0
// Verdicts for people and for programs: comparisons as documents and as files, the searches that
// decide by comparing (`bisect`, `tune`), and the tones of facts, which are the same for all output
// formats. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/bisect_result.h"
#include "harness/bisect/run_bisect.h"
#include "harness/document/document.h"
#include "harness/record/result_file.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/pages.h"
#include "harness/tune/tune_result.h"
#include "harness/verdict/comparison.h"

namespace stepbench {
enum class Severity : std::uint8_t;
}  // namespace stepbench
namespace stepbench::traces {
enum class IntegrityLevel : std::uint8_t;
}  // namespace stepbench::traces
namespace stepbench::verdict {
enum class GateState : std::uint8_t;
enum class Verdict : std::uint8_t;
struct TestResult;
}  // namespace stepbench::verdict
namespace stepbench::nights {
enum class NightState : std::uint8_t;
}  // namespace stepbench::nights

namespace stepbench::report {

[[nodiscard]] document::Tone tone_of(Severity severity);
[[nodiscard]] document::Tone tone_of(traces::IntegrityLevel level);
// Claims that are not confirmed are doubts.
[[nodiscard]] document::Tone tone_of(const verdict::TestResult& test);
// For a whole comparison.
[[nodiscard]] document::Tone tone_of(verdict::Verdict verdict);
[[nodiscard]] document::Tone tone_of(verdict::GateState state);
// For a series or an alert; `worse`: direction of its change.
[[nodiscard]] document::Tone tone_of(nights::NightState state, bool worse);

// A comparison, or several results against one base, as a document: its verdict in one line, and
// the table of cases and metrics. Pure; any thread.

// Rows with verdict ok are omitted beyond this number of rows, unless all are requested.
inline constexpr std::size_t kMaxOkRows = 30;
inline constexpr std::size_t kMaxRows = 200;  // other rows; the JSON form has all
// A for the base, B, C, ... for the others.
inline constexpr std::size_t kMaxCompared = 26;

// The answer is the verdict. Chapters: how it was measured, cases, causes, remarks, doubts
// (comparison_words.h). `all`: show every row. Several comparisons must have the same base and
// get one column each.
[[nodiscard]] document::Document comparison_document(
    std::span<const verdict::Comparison> comparisons, bool all);
// Marker in Markdown by which a bot finds its own comment again.
inline constexpr const char* kVerdictMarker = "stepbench-verdict";
struct MetricRows {
  document::Table table;
  std::size_t hidden_ok = 0;
  std::size_t hidden = 0;
};
// One row per metric of each case. `margins`: include the margins.
[[nodiscard]] MetricRows metric_rows(const verdict::Comparison& comparison,
                                     const ComparisonNames& names, bool all, bool margins);

// Writes and reads the verdict file of a comparison. Pure; any thread.

inline constexpr std::string_view kVerdictSchema = "stepbench.verdict";
inline constexpr std::string_view kVerdictVersion = "1.9.0";

// The verdict file: one JSON object with `exit_code`, `verdict` and every case; numbers that are
// not finite are null. The same comparison gives the same bytes.
[[nodiscard]] std::string comparison_json(const verdict::Comparison& comparison);
// For a single comparison as comparison_json(). For several with one base: `exit_code` and
// `verdict` of the worst, and `comparisons` with each as in comparison_json().
inline constexpr std::string_view kVerdictsSchema = "stepbench.verdicts";
inline constexpr std::string_view kVerdictsVersion = "1.0.0";
[[nodiscard]] std::string verdict_json(std::span<const verdict::Comparison> comparisons);
// The verdict file of a failure: the sides could not be read or must not be compared.
[[nodiscard]] std::string error_json(int exit_code, std::string_view message);

// Returns one comparison for the schema stepbench.verdict, all for stepbench.verdicts. Accepts
// every 1.x. Throws LineError for anything else, and for a file with an error instead of a verdict.
[[nodiscard]] std::vector<verdict::Comparison> read_comparisons(std::string_view json);

// Output for a search for the commit that made a step slower, before and after it. Pure; any
// thread.

// The answer, the judged commits, and what changed inside a step between the culprit and the commit
// before it.
[[nodiscard]] document::Document bisect_document(const bisect::BisectRun& run);

// States what the search would build and launch.
[[nodiscard]] std::string bisect_plan_text(const bisect::BisectRequest& request,
                                           const bisect::BisectPlan& planned);

// Document of a search for good settings. Pure; any thread.

// The answer with doubts about its launches, confidence and cost, then the points. `results`: those
// of its folder, without the confirmation.
[[nodiscard]] document::Document tune_document(const tune::TuneRun& run,
                                               const record::Results& results);

// Page of the search: answer and points, then its launches, as for a run.
[[nodiscard]] ReportContent tune_content(const tune::TuneRun& run, const record::Results& results);

}  // namespace stepbench::report
