// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/bisect_result.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/bisect/internal/counts.h"
#include "harness/bisect/programs.h"
#include "harness/json/fields.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/run/run_header.h"
#include "harness/text/secrets.h"
#include "harness/text/time_text.h"

namespace stepbench::bisect {

template <typename V>
void fields(V& v, json::Of<RelativeChange> auto& change) {
  v("change", change.change)("low", change.low)("high", change.high);
}

template <typename V>
void fields(V& v, json::Of<Commit> auto& commit) {
  v("commit", commit.id)("title", commit.title);
}

template <typename V>
void fields(V& v, json::Of<Culprit> auto& culprit) {
  v("commit", culprit.commit)("title", culprit.title)("change", culprit.change);
}

template <typename V>
void fields(V& v, json::Of<FoundRange> auto& range) {
  v("after", range.after)("last", range.last)("commits", range.commits)("left_out", range.skipped);
  v("chance", range.chance);
}

template <typename V>
void fields(V& v, json::Of<JudgedStep> auto& judged) {
  v("base", judged.base)("commit", judged.commit)("apart", judged.built_separately);
  v("build", judged.build)("pairs", judged.pairs)("repeated", judged.repeated);
  v("change", judged.change, json::kSparse)("why_not", judged.why_not, json::kSparse);
  v("folder", judged.folder, json::kSparse);
}

template <typename V>
void fields(V& v, json::Of<BisectRun> auto& run) {
  v.constant("schema", kSearchSchema).constant("schema_version", kSearchVersion);
  v("exit_code", run.exit_status, {.below_zero = true})("answer", run.answer);
  v("culprit", run.culprit, json::kSparse)("range", run.range, json::kSparse);
  v("ends", run.ends)("elsewhere", run.elsewhere, json::kSparse);
  v("layout", run.layout, json::kSparse)("drawn_anew", run.layout_redrawn);
  v("known_layout", run.known_layout, json::kSparse);
  v("confidence", run.confidence)("metric", run.metric)("counted", run.counted, json::kSparse);
  v("size", run.size, json::kSparse)("build", run.build)("builds", run.builds);
  v("launches", run.launches)("seconds", run.seconds);
  v("judged", run.judged)("commits", run.commits, json::kNeeded);
  v("repeat", run.repeat, json::kSparse)("inside", run.inside, json::kSparse);
}

RelativeChange relative(const StepChange& change) {
  return {std::expm1(change.size), std::expm1(change.interval.low),
          std::expm1(change.interval.high)};
}

bool BisectRun::is_counted() const { return metric == kCounts; }

std::string search_id(const std::string& name) {
  return text::compact_utc(text::utc_text(std::chrono::system_clock::now())) + "-bisect-" +
         run::file_name_part(name);
}

std::string search_json(const BisectRun& run) { return json::object_text(run) + "\n"; }

void write_search_file(const BisectRun& run) {
  os::write_output_file("", run.folder / kSearchFile, search_json(run));
}

BisectRun read_search_file(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kSearchFile;
  const std::optional<std::string> text = os::read_text(file);
  if (!text)
    throw ConfigError(folder.string(), "is not the folder of a search: it has no bisect.json");
  try {
    json::LineParser parser;
    const json::LineObject object = parser.parse(*text, json::LineParser::Padding::kNone).object;
    const std::string version = object.text("schema_version");
    if (version.starts_with("1.")) {
      throw ConfigError(
          file.string(),
          "holds a search of stepbench 0.1; continue it with that version, or begin a new one");
    }
    const int minor = json::minor_version(object, kSearchSchema, kSearchVersion, "schema_version");
    BisectRun run = json::read<BisectRun>(object);
    run.newer_version = json::newer_version_text(minor, kSearchVersion);
    return run;
  } catch (const json::LineError& error) {
    throw ConfigError(file.string(), error.what());
  }
}

os::Descriptor lock_search(const std::filesystem::path& folder) {
  os::Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) throw ConfigError(folder.string(), "is not the folder of a search");
  if (::flock(lock.value(), LOCK_EX | LOCK_NB) == 0) return lock;
  throw ConfigError(folder.string(), "another program is running this search");
}

bool has_begun(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries{folder};
  return std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename().string().find(os::kUnfinishedPart) == std::string::npos;
  });
}

void check_same_search(const BisectRun& earlier, const BisectRun& asked) {
  if (earlier.commits.empty()) throw ConfigError("--resume", "this search has no commits");
  const std::pair<const char*, std::string (*)(const BisectRun&)> kParts[] = {
      {"good end", [](const BisectRun& run) { return short_id(run.commits.front()); }},
      {"bad end", [](const BisectRun& run) { return short_id(run.commits.back()); }},
      {"--build", [](const BisectRun& run) { return text::mask_secrets(run.build, {}); }},
      {"--metric", [](const BisectRun& run) { return run.metric; }},
      {"--size", [](const BisectRun& run) { return std::to_string(run.size.value_or(0)); }},
      {"--confidence", [](const BisectRun& run) { return std::to_string(run.confidence); }}};
  for (const auto& [what, part] : kParts) {
    if (part(earlier) == part(asked)) continue;
    throw ConfigError("--resume", formatted("this search has another {}: {}, not {}", what,
                                            part(earlier), part(asked)));
  }
}

std::string bisect_log(const BisectRun& run) {
  if (run.commits.empty() || short_id(run.commits.front()) == run.commits.front().id) return {};
  std::string log = "git bisect start --first-parent\n";
  const auto add_line = [&](const char* word, const Commit& commit) {
    log += formatted("# {}: [{}] {}\ngit bisect {} {}\n", word, commit.id, commit.title, word,
                     commit.id);
  };
  add_line("bad", run.commits.back());
  add_line("good", run.commits.front());
  if (!run.range) return log;
  const auto place_of = [&](const std::string& id) {
    return std::ranges::find(run.commits, id, &Commit::id) - run.commits.begin();
  };
  const auto after = place_of(run.range->after);
  const auto last = place_of(run.range->last);
  std::vector<std::string> written_ids = {run.commits.front().id, run.commits.back().id};
  for (const JudgedStep& judged : run.judged) {
    for (const std::string& id : {judged.base, judged.commit}) {
      const auto place = place_of(id);
      const bool skipped = !judged.why_not.empty() && id == judged.commit;
      if (std::ranges::find(written_ids, id) != written_ids.end() ||
          (!skipped && after < place && place < last)) {
        continue;
      }
      written_ids.push_back(id);
      add_line(skipped          ? "skip"
               : place <= after ? "good"
                                : "bad",
               run.commits[static_cast<std::size_t>(place)]);
    }
  }
  if (run.culprit) {
    log += formatted("# first bad commit: [{}] {}\n", run.culprit->commit, run.culprit->title);
  }
  return log;
}

}  // namespace stepbench::bisect
