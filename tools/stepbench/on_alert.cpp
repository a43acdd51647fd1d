// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/on_alert.h"

#include <ostream>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/range_commits.h"
#include "harness/json/json_text.h"
#include "harness/nights/alert.h"
#include "harness/nights/notices.h"
#include "harness/os/command.h"
#include "harness/os/text_file.h"
#include "harness/report/alert_json.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/utc.h"

namespace stepbench::cli {
namespace {

// The last line on standard error is usually the most informative.
std::string last_words(const os::CommandResult& result) {
  std::string text{os::trim(result.err)};
  text.erase(0, text.rfind('\n') + 1);
  return text.empty() ? std::string{} : ": " + text;
}

// Returns the failure, or an empty text on success.
std::string run_notifier(const std::string& command, const std::string& json) {
  os::CommandResult result;
  try {
    result = os::run_command({"sh", "-c", command}, json, kNotifierTimeout, {.drops_rest = true});
  } catch (const Interrupted&) {
    return "was interrupted";
  }
  if (!result.started) return "cannot be started: " + result.reason;
  if (result.timed_out) {
    return "took longer than " +
           text::seconds_text(std::chrono::duration<double>(kNotifierTimeout).count()) +
           " and was killed";
  }
  if (result.exit_status == 0) return {};
  return "ended with status " + std::to_string(result.exit_status) + last_words(result);
}

}  // namespace

void notify_alerts(track::TrackStore& store, const AlertNotifier& notifier,
                   std::chrono::system_clock::time_point now, std::ostream& err) {
  const std::vector<track::TrackEvent> events = store.events();
  const std::vector<nights::Notice> pending =
      nights::pending_notices(events, text::utc_text(now - kMaxNoticeAge), notifier.host);
  if (pending.empty()) return;
  nights::AlertLog log = nights::fold_alerts(events);
  // Needs all series: cases are named by what varies among them.
  const track::History history = store.history({.last = 1});
  campaign::list_commits(log, history.runs);
  for (const nights::Notice& notice : pending) {
    const nights::Alert& alert = *log.find(notice.alert_id);
    const std::string json = report::alert_json(
        alert, history, "stepbench track show " + alert.id + notifier.history_words);
    store.record(std::vector{
        nights::event_of(notice, nights::kPeopleNotified, text::utc_text(now), notifier.who)});
    const std::string failure = run_notifier(notifier.command, json);
    if (failure.empty()) continue;
    store.record(std::vector{nights::event_of(notice, nights::kNotificationFailed,
                                              text::utc_text(now), notifier.who, failure)});
    err << "stepbench: warning: --on-alert for " << alert.id << ": " << text::printable(failure)
        << "; the next night retries\n";
  }
}

void notify_failed_night(const AlertNotifier& notifier, int exit_code,
                         const std::vector<std::string>& notes, std::ostream& err) {
  json::JsonText json;
  json.open_object()
      .text("schema", "stepbench.night_failed")
      .text("version", "1.0.0")
      .text("text", text::printable("the night on " + notifier.host + " failed (exit status " +
                                    std::to_string(exit_code) + ")" +
                                    (notes.empty() ? "" : ": " + notes.front())))
      .text("host", notifier.host)
      .integer("exit_code", exit_code)
      .texts("notes", notes)
      .close_object();
  const std::string failure = run_notifier(notifier.command, json.take() + "\n");
  if (failure.empty()) return;
  err << "stepbench: warning: --on-alert for a failed night: " << text::printable(failure) << '\n';
}

}  // namespace stepbench::cli
