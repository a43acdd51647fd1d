// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/nightly.h"
#include "harness/json/json_text.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"

namespace stepbench::campaign {
namespace {

// Pending notifications of earlier nights are sent up to this age.
constexpr std::chrono::hours kMaxNoticeAge{72};
constexpr std::chrono::seconds kNotifierTimeout{60};

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
    return formatted("took longer than {} and was killed",
                     text::seconds_text(std::chrono::duration<double>(kNotifierTimeout).count()));
  }
  if (result.exit_status == 0) return {};
  return formatted("ended with status {}{}", result.exit_status, last_words(result));
}

}  // namespace

std::vector<std::string> notify_alerts(nights::TrackStore& store, const Notifier& notifier,
                                       std::chrono::system_clock::time_point now) {
  std::vector<std::string> warnings;
  const std::vector<nights::TrackEvent> events = store.events();
  const std::vector<nights::Notice> pending =
      nights::pending_notices(events, text::utc_text(now - kMaxNoticeAge), notifier.host);
  if (pending.empty()) return warnings;
  nights::AlertLog log = nights::fold_alerts(events);
  // Needs all series: cases are named by what varies among them.
  const nights::History history = store.history({.last = 1});
  list_commits(log, history.runs);
  for (const nights::Notice& notice : pending) {
    const nights::Alert& alert = *log.find(notice.alert_id);
    const std::string json = notifier.alert_json(alert, history);
    store.record(std::vector{
        nights::event_of(notice, nights::kPeopleNotified, text::utc_text(now), notifier.who)});
    const std::string failure = run_notifier(notifier.command, json);
    if (failure.empty()) continue;
    store.record(std::vector{nights::event_of(notice, nights::kNotificationFailed,
                                              text::utc_text(now), notifier.who, failure)});
    warnings.push_back(
        formatted("--on-alert for {}: {}; the next night retries", alert.id, failure));
  }
  return warnings;
}

std::vector<std::string> notify_failed_night(const Notifier& notifier, int exit_code,
                                             const std::vector<std::string>& notes) {
  json::JsonText json;
  json.open_object()
      .text("schema", "stepbench.night_failed")
      .text("version", "1.0.0")
      .text("text",
            text::printable(formatted("the night on {} failed (exit status {}){}", notifier.host,
                                      exit_code, notes.empty() ? "" : ": " + notes.front())))
      .text("host", notifier.host)
      .integer("exit_code", exit_code)
      .texts("notes", notes)
      .close_object();
  const std::string failure = run_notifier(notifier.command, json.take() + "\n");
  if (failure.empty()) return {};
  return {"--on-alert for a failed night: " + failure};
}

}  // namespace stepbench::campaign
