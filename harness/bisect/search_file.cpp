// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "harness/base/error.h"
#include "harness/bisect/programs.h"
#include "harness/json/json_text.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/os/output_file.h"
#include "harness/os/text_file.h"
#include "harness/run/run_header.h"
#include "harness/text/utc.h"

namespace stepbench::bisect {
namespace {

void write_change(json::JsonText& json, std::string_view key, const Ends& change) {
  json.open_object(key)
      .number("change", std::expm1(change.size))
      .number("low", std::expm1(change.low))
      .number("high", std::expm1(change.high))
      .close_object();
}

void write_judged(json::JsonText& json, const BisectRun& run) {
  json.open_array("judged");
  for (const JudgedStep& each : run.judged) {
    json.open_object()
        .text("step", name_of(each.step.kind))
        .text("base", run.commits[each.step.base].id)
        .text("candidate", run.commits[each.step.candidate].id)
        .integer("pairs", static_cast<std::int64_t>(each.pairs));
    if (each.why_not.empty()) {
      if (each.step.kind == SearchStep::Kind::kCommit) json.text("side", name_of(each.side));
      if (!each.counted.empty()) json.text("counted", each.counted);
      write_change(json, each.counted.empty() ? "step_change" : "count_change", each.change);
    } else {
      json.text("why_not", each.why_not);
    }
    json.text("folder", each.folder.string()).close_object();
  }
  json.close_array();
}

}  // namespace

namespace {

std::string search_object(const BisectRun& run) {
  json::JsonText json;
  json.open_object()
      .text("schema", kSearchSchema)
      .text("schema_version", kSearchVersion)
      .integer("exit_code", run.exit_status)
      .text("answer", name_of(run.answer));
  if (run.answer == SearchAnswer::kFound) {
    json.open_object("culprit")
        .text("commit", run.commits[run.bad].id)
        .text("title", run.commits[run.bad].title);
    write_change(json, "step_change", run.culprit);
    json.close_object();
    if (run.rest) write_change(json, "rest", *run.rest);
  }
  if (!run.judged.empty()) {
    json.text("last_good", run.commits[run.good].id).text("first_bad", run.commits[run.bad].id);
  }
  json.text("metric", run.metric).number("confidence", run.confidence);
  if (!run.counted.empty()) json.text("counted", run.counted);
  if (run.size) json.number("size", std::expm1(*run.size));
  json.text("build", run.build);
  json.integer("builds", static_cast<std::int64_t>(run.builds))
      .integer("launches", static_cast<std::int64_t>(run.launches))
      .number("seconds", run.seconds);
  write_judged(json, run);
  json.open_array("commits");
  for (const Commit& commit : run.commits) {
    json.open_object().text("commit", commit.id).text("title", commit.title).close_object();
  }
  json.close_array();
  if (!run.repeat.empty()) json.text("repeat", run.repeat);
  if (!run.inside.empty()) json.json("inside", search_object(run.inside.front()));
  return json.close_object().take();
}

}  // namespace

std::string search_id(const std::string& name) {
  return text::compact_utc(text::utc_text(std::chrono::system_clock::now())) + "-bisect-" +
         run::file_name_part(name);
}

std::string search_json(const BisectRun& run) { return search_object(run) + "\n"; }

void write_search_file(const BisectRun& run) {
  os::write_output_file("", run.folder / kSearchFile, search_json(run));
}

BisectRun read_search_file(const std::filesystem::path& folder) {
  const std::optional<std::string> text = os::read_text(folder / kSearchFile);
  if (!text) throw ConfigError(folder.string(), "is no folder of a search: it has no bisect.json");
  json::LineParser parser;
  BisectRun search;
  try {
    const json::LineObject object = parser.parse(*text, json::LineParser::Padding::kNone).object;
    search.build = object.text("build");
    search.metric = object.text("metric");
    search.confidence = object.number("confidence").value_or(0);
    search.seconds = object.number("seconds").value_or(0);
    if (const auto size = object.number("size")) search.size = std::log1p(*size);
    for (const json::JsonView& each :
         object.array("commits").value_or(std::vector<json::JsonView>())) {
      const auto commit = each.object();
      if (commit) search.commits.push_back({commit->text("commit"), commit->text("title")});
    }
  } catch (const json::LineError& error) {
    throw ConfigError((folder / kSearchFile).string(), error.what());
  }
  return search;
}

os::Descriptor lock_search(const std::filesystem::path& folder) {
  os::Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) throw ConfigError(folder.string(), "is no folder of a search");
  if (::flock(lock.value(), LOCK_EX | LOCK_NB) == 0) return lock;
  throw ConfigError(folder.string(), "another program goes on with this search");
}

bool has_begun(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries{folder};
  return std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename().string().find(os::kUnfinishedPart) == std::string::npos;
  });
}

void check_same_search(const BisectRun& earlier, const BisectRun& asked) {
  const auto refuse = [](const std::string& what, const std::string& was, const std::string& now) {
    throw ConfigError("--resume", "this search has another " + what + ": " + was + ", not " + now);
  };
  if (earlier.commits.empty()) throw ConfigError("--resume", "this search names no commits");
  const Commit& good = earlier.commits.front();
  const Commit& bad = earlier.commits.back();
  if (good.id != asked.commits.front().id) {
    refuse("good end", short_id(good), short_id(asked.commits.front()));
  }
  if (bad.id != asked.commits.back().id) {
    refuse("bad end", short_id(bad), short_id(asked.commits.back()));
  }
  if (earlier.build != asked.build) refuse("--build", earlier.build, asked.build);
  if (earlier.metric != asked.metric) refuse("--metric", earlier.metric, asked.metric);
  const double another = earlier.size.value_or(0) - asked.size.value_or(0);
  if (std::abs(another) > 1e-9) {
    refuse("--size", std::to_string(std::expm1(earlier.size.value_or(0))),
           std::to_string(std::expm1(asked.size.value_or(0))));
  }
  if (earlier.confidence != asked.confidence) {
    refuse("--confidence", std::to_string(earlier.confidence), std::to_string(asked.confidence));
  }
}

}  // namespace stepbench::bisect
