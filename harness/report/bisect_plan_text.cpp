// SPDX-License-Identifier: Apache-2.0
#include "harness/report/bisect_plan_text.h"

#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string usual_and_most(const bisect::Expected& expected, std::string_view noun) {
  return "about " + text::counted(static_cast<std::int64_t>(expected.usual), noun) + ", at most " +
         std::to_string(expected.most);
}

}  // namespace

std::string bisect_plan_text(const bisect::BisectRequest& request,
                             const bisect::BisectPlan& planned) {
  std::string text = text::counted(static_cast<std::int64_t>(planned.commits),
                                   request.versions.empty() ? "commit" : "version") +
                     " to search between " + request.good + " and " + request.bad + '\n';
  if (planned.builds.most > 0) {
    text += usual_and_most(planned.builds, "build") + ", by `" + request.build + "`";
    if (request.jobs > 1) text += ", " + std::to_string(request.jobs) + " beside each other";
    text += '\n';
  }
  text += usual_and_most(planned.launches, "launch");
  if (!planned.launch_s) {
    return text + "; not measured before: what a launch takes is seen at the ends\n";
  }
  const auto time = [&](std::size_t launches) {
    return text::rough_duration(static_cast<double>(launches) * *planned.launch_s);
  };
  return text + "; about " + time(planned.launches.usual) + ", at most " +
         time(planned.launches.most) + " by earlier results" +
         (planned.builds.most > 0 ? ", beside what the builds take\n" : "\n");
}

}  // namespace stepbench::report
