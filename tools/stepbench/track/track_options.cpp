// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/track_options.h"

#include <unistd.h>

#include <filesystem>

#include "harness/machine/environment.h"
#include "harness/nights/night_store.h"
#include "harness/store/database.h"
#include "harness/text/words.h"
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

void add_author_flag(Command& command, AuthorFlag& flag) {
  command.option(kHistoryOptions, "--who TEXT", flag.who,
                 "Who says so, for the record; default: the user and the machine");
}

std::string author(const AuthorFlag& flag, const Environment& environment) {
  if (!flag.who.empty()) return flag.who;
  std::string user = variable(environment, "USER");
  if (user.empty()) user = variable(environment, "LOGNAME");
  if (user.empty()) user = "uid" + std::to_string(::getuid());
  return user + '@' + machine::host_name("/");
}

CommandOption& add_history(Command& command, HistoryFlags& flags) {
  CommandOption& db =
      command
          .option(kHistoryOptions, "--db URL", flags.db,
                  "The history: sqlite:FILE, or postgresql://USER@HOST:PORT/NAME for one that "
                  "machines share")
          .with_default()
          .common();
  command.option(
      kHistoryOptions, "--events FILE", flags.events,
      "File of the events and notes of alerts; default: next to the history, for a server " +
          std::string(track::kDefaultEvents));
  return db;
}

report::JudgedNights judged_nights(track::TrackStore& store) {
  return [&store](const track::SeriesHistory& one, const track::History& history) {
    if (one.points.empty()) return std::vector<track::JudgedRow>{};
    return store.judged_series(one.series.id, history.runs[one.points.back().run].host);
  };
}

std::string default_history(const std::string& results) {
  return "sqlite:" + (std::filesystem::path(results) / "history.db").string();
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
