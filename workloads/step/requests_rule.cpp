// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/requests_rule.h"

#include <string>

#include "harness/text/numbers.h"

namespace stepbench::step {
namespace {

constexpr const char* kRate = "schedule.arrivals.rate";
constexpr const char* kLimit = "schedule.arrivals.p99_limit_ms";

void check_duration(const ResolvedCase& resolved, RuleSink& sink) {
  const double rate = resolved.number(kRate);
  const std::int64_t cycles = resolved.integer_or("schedule.repeat", 1);
  const std::int64_t requests = cycles * (resolved.integer_or("schedule.warmup", 0) +
                                          resolved.integer_or("schedule.active", 1));
  const double seconds = static_cast<double>(requests) / rate;
  const double limit = resolved.number("limits.wall_s");
  if (seconds <= limit) return;
  sink.error(kRate, std::to_string(requests) + " requests at " + text::significant(rate) +
                        "/s take " + text::significant(seconds) +
                        " s, longer than a launch may (limits.wall_s: " + text::significant(limit) +
                        "); raise either, or lower schedule.active and schedule.warmup");
}

}  // namespace

void check_requests(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.has(kRate) || resolved.has(kLimit)) {
    resolved.options["schedule.sync"] = std::string("step");
  }
  if (!resolved.has(kRate)) return;
  if (*resolved.options.get("schedule.active") == Value(std::string("auto"))) {
    sink.error("schedule.active",
               "auto measures until time / steps is exact, which is the distance of the arrivals "
               "here; give a number of requests");
    return;
  }
  if (resolved.text_or("profile.counts", "none") != "none") {
    sink.error("profile.counts",
               "would count the instructions of waiting for requests, too; leave out "
               "schedule.arrivals where instructions are counted");
  }
  if (!facts.smoke) check_duration(resolved, sink);
}

void refuse_requests(const ResolvedCase& resolved, RuleSink& sink) {
  for (const char* option : {kRate, kLimit}) {
    if (!resolved.has(option)) continue;
    sink.error(option, "nobody asks for a step of " + resolved.workload +
                           "; requests arrive at generate, eval_step and python_step");
  }
}

}  // namespace stepbench::step
