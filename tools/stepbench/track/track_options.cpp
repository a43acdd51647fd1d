// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/track_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "harness/machine/environment.h"
#include "harness/store/database.h"
#include "harness/text/words.h"
#include "harness/track/screen.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

std::string variable(const Environment& environment, std::string_view name) {
  for (const auto& [known, value] : environment.variables) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace

void add_who(CLI::App& command, WhoFlag& flag) {
  command
      .add_option("--who", flag.who,
                  "Who says so, for the record; default: the user and the machine")
      ->type_name("TEXT")
      ->group(kHistoryOptions);
}

std::string author(const WhoFlag& flag, const Environment& environment) {
  if (!flag.who.empty()) return flag.who;
  std::string user = variable(environment, "USER");
  if (user.empty()) user = variable(environment, "LOGNAME");
  if (user.empty()) user = "uid" + std::to_string(::getuid());
  return user + '@' + machine::host_name("/");
}

void add_history(CLI::App& command, HistoryFlags& flags) {
  command
      .add_option("--db", flags.db,
                  "The history: sqlite:FILE, or postgresql://USER@HOST:PORT/NAME for one that "
                  "machines share")
      ->capture_default_str()
      ->type_name("URL")
      ->group(kHistoryOptions);
  command
      .add_option("--events", flags.events,
                  "File of what people and confirmations said of alerts; default: beside the "
                  "history, for a server " +
                      std::string(track::kDefaultEvents))
      ->type_name("FILE")
      ->group(kHistoryOptions);
}

void add_screen(CLI::App& command, std::string& screen, const std::string& doc) {
  CLI::Option* option =
      command.add_option("--screen", screen, doc)->capture_default_str()->group(kVerdictOptions);
  expect_one_of(*option, {std::string(track::name_of(track::ScreenKind::kRobustZ)),
                          std::string(track::name_of(track::ScreenKind::kOtava2)),
                          std::string(track::name_of(track::ScreenKind::kRank)),
                          std::string(track::name_of(track::ScreenKind::kTPred))});
}

track::TrackStore open_history(const HistoryFlags& flags, bool make) {
  return track::TrackStore::open(flags.db, {.events_file = flags.events, .make = make});
}

std::string history_words(const HistoryFlags& flags) {
  std::string words;
  if (flags.db != track::kDefaultHistory)
    words += " --db " + text::shell_word(store::without_password(flags.db));
  if (!flags.events.empty()) words += " --events " + text::shell_word(flags.events);
  return words;
}

}  // namespace stepbench::cli
