// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/record/result_file.h"
#include "harness/report/trace_analysis.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

void check_device(std::optional<int> device, const traces::Analysis& analysis,
                  const std::filesystem::path& path) {
  if (!device || analysis.idle_of(device) != nullptr) return;
  throw ConfigError("--device",
                    formatted("device {} ran no work in {}; it has: {}", *device, path.string(),
                              analysis.devices.empty()
                                  ? std::string("none")
                                  : text::join(analysis.devices, ", ",
                                               [](int each) { return std::to_string(each); })));
}

// Traces of stepbench do not record operator types. TF32 counts as FP32: the kernels show which it
// is.
ops::Dtype precision_of(const Fields& options) {
  const auto found = options.find("model.precision");
  if (found == options.end()) return ops::Dtype::kUnknown;
  const ops::Dtype dtype = ops::dtype_named(to_text(found->second));
  return dtype == ops::Dtype::kTf32 ? ops::Dtype::kFp32 : dtype;
}

}  // namespace

Fields TraceAnalyser::case_options(const traces::Trace& trace, const std::filesystem::path& path) {
  const std::string_view case_id = trace.own_fact("case_id");
  if (case_id.empty()) return {};
  const std::filesystem::path run = std::filesystem::absolute(path).parent_path().parent_path();
  const auto [cases, is_new] = runs_.try_emplace(run);
  if (is_new) cases->second = record::options_of_cases(run);
  const auto found = cases->second.find(case_id);
  return found == cases->second.end() ? Fields{} : Fields(found->second);
}

AnalysedTrace TraceAnalyser::analyse(const traces::Trace& trace,
                                     const std::filesystem::path& path) {
  traces::RuleOptions rules = rules_;
  rules.options = case_options(trace, path);
  traces::AnalysisOptions how = how_;
  how.untyped = precision_of(rules.options);
  AnalysedTrace analysed{.trace = &trace,
                         .path = path.string(),
                         .analysis = traces::analyse(trace, how),
                         .device = rules_.device};
  check_device(rules_.device, analysed.analysis, path);
  if (how_.steps.numbers && analysed.analysis.steps.counted().empty()) {
    throw ConfigError("--steps", "no such step in " + path.string());
  }
  analysed.findings = traces::find_causes(trace, analysed.analysis, rules);
  return analysed;
}

}  // namespace stepbench::report
