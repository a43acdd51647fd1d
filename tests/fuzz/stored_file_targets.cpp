// SPDX-License-Identifier: Apache-2.0
// Files that stepbench writes and keeps, and foreign traces.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/bisect/bisect_result.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/internal/measure_night.h"
#include "harness/nights/internal/event.h"
#include "harness/nights/internal/schema.h"
#include "harness/record/input.h"
#include "harness/record/internal/line_codec.h"
#include "harness/record/result_file.h"
#include "harness/report/night.h"
#include "harness/report/verdicts.h"
#include "harness/traces/trace_files.h"
#include "tests/fuzz/targets.h"
#include "tests/temporary_folder.h"

namespace stepbench::fuzz {
namespace {

// The files of a run, joined.
void folder(Input input) {
  const TwoFiles files = split(input);
  const MemoryFile first(files.first);
  const MemoryFile second(files.second);
  const std::array<std::filesystem::path, 2> paths = {first.path(), second.path()};
  try {
    const record::Results results = record::read_results(paths);
    std::set<std::pair<std::string, record::LaunchKey>> keys;
    for (const record::Launch& launch : results.launches) {
      require(launch.run < results.runs.size(), "a launch is one of a run");
      require(keys.emplace(results.runs[launch.run].run_id, launch.row.key).second,
              "a launch of a run counts once");
    }
  } catch (const ConfigError&) {
  }
}

// Texts that a history stores: fields, command lines, the file of events.
void history(Input input) {
  const std::string text(text_of(input));
  try {
    const std::string written = nights::fields_json(nights::fields_from_json(text));
    require(nights::fields_json(nights::fields_from_json(written)) == written,
            "fields are read as they were written");
  } catch (const ConfigError&) {
  }
  try {
    const std::string written = nights::asked_json(nights::asked_from_json(text));
    require(nights::asked_json(nights::asked_from_json(written)) == written,
            "a command line is read as it was written");
  } catch (const ConfigError&) {
  }
  try {
    const MemoryFile file(input);
    nights::KnownEvents known;
    (void)nights::read_events(file.path(), known);
  } catch (const ConfigError&) {
  }
}

void search(const test::TemporaryFolder& folder, std::string_view text) {
  folder.write(bisect::kSearchFile, text);
  bisect::BisectRun read;
  try {
    read = bisect::read_search_file(folder.path());
  } catch (const Error&) {
    return;
  }
  folder.write(bisect::kSearchFile, bisect::search_json(read));
  const bisect::BisectRun again = bisect::read_search_file(folder.path());
  const auto same = [](const bisect::Commit& one, const bisect::Commit& other) {
    return one.id == other.id && one.title == other.title;
  };
  require(again.build == read.build && again.metric == read.metric &&
              std::ranges::equal(again.commits, read.commits, same),
          "a search is read as it was written");
}

void machine_of(const test::TemporaryFolder& folder, std::string_view text) {
  folder.write("stepbench/machine-h.json", text);
  const machine::Variables variables = {{"XDG_STATE_HOME", folder.path().string()}};
  const auto kept = campaign::stored_machine(variables, {{"host", std::string("h")}});
  require(kept.noise.has_value() != !kept.problem.empty(), "it is known, or said why not");
}

void night(const test::TemporaryFolder& folder, std::string_view text) {
  const auto now = std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + std::chrono::hours{3};
  std::filesystem::path file;
  {
    campaign::UnfinishedNight fresh(folder.path(), "fuzz", now);
    fresh.begun("e", folder.path());
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (entry.path().filename().string().starts_with(record::kUnfinishedNight)) file = entry;
    }
  }
  folder.write(file.filename().string(), text);
  const campaign::UnfinishedNight read(folder.path(), "fuzz", now);
  require(read.resumes() || read.folder_of("e").empty(), "what is not read has no folder");
  std::filesystem::remove(file);
}

// State files: a search for a commit, an unfinished night, the measured noise of the machine. The
// first byte selects the kind.
void kept(Input input) {
  static const test::TemporaryFolder folder;
  if (input.empty()) return;
  const std::string_view text = text_of(input.subspan(1));
  switch (input[0] % 3) {
    case 0:
      search(folder, text);
      break;
    case 1:
      machine_of(folder, text);
      break;
    default:
      night(folder, text);
  }
}

// A night's verdict, as `nightly --verdict` writes it.
void night(Input input) {
  try {
    (void)report::read_night(std::string(text_of(input)));
  } catch (const Error&) {
  }
}

// Packed files, whole and damaged. Input: u16 position and u8 change there (0: none), u8 number of
// bytes cut off, the text.
void packed(Input input) {
  constexpr std::size_t kHead = 4;
  if (input.size() < kHead) return;
  const std::string_view text = text_of(input.subspan(kHead));
  const std::string whole = record::gzip_text(text, 1);
  std::string packed = whole;
  packed.at((input[0] + 256U * input[1]) % packed.size()) ^= static_cast<char>(input[2]);
  packed.resize(packed.size() - std::min<std::size_t>(packed.size(), input[3]));
  const MemoryFile file({reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()});
  try {
    const record::Input read = record::Input::read(file.path());
    // Some gzip header fields do not affect the text, and other data is read as plain.
    const bool plain = !packed.starts_with("\x1F\x8B");
    require(read.text() == (plain ? std::string_view(packed) : text), "what is read was written");
  } catch (const ConfigError&) {
    require(packed != whole, "what was packed is read");
  }
  try {
    (void)traces::read_trace(file.path(), {.max_text_bytes = std::uint64_t{1} << 24});
  } catch (const ConfigError&) {
  }
}

template <typename Written>
void read_again(record::LineDecoder& decoder, const Written& row) {
  const std::string line = record::encode(row);
  std::string padded = line + '\n';
  padded.resize(padded.size() + record::Input::kPadding);
  const record::Row again = decoder.decode(std::string_view(padded).substr(0, line.size()));
  const auto* same = std::get_if<Written>(&again);
  require(same != nullptr && record::encode(*same) == line, "a line is read as it was written");
}

// A result file, plain or gzip. Rows that were read must be written and read again as the same
// line.
void result(Input input) {
  const MemoryFile file(input);
  record::LineDecoder decoder;
  try {
    const record::Results results = record::read_results(file.path());
    for (const record::RunRow& run : results.runs) read_again(decoder, run);
    for (const record::WorkerRow& worker : results.workers) read_again(decoder, worker);
    for (const record::Launch& launch : results.launches) {
      read_again(decoder, launch.row);
      for (const record::CycleSamples& samples : launch.samples) {
        read_again(decoder, record::SamplesRow{launch.row.key, samples});
      }
      for (const ops::OpFrame& frame : launch.ops) {
        read_again(decoder, record::OpsRow{launch.row.key, frame});
      }
    }
  } catch (const ConfigError&) {
  }
}

// Invariants of every analysis.
void check(const traces::Trace& trace) {
  for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane) {
    std::int64_t last_ns = INT64_MIN;
    for (const traces::TraceEvent& event : trace.lanes[lane].events) {
      const bool sound = event.start_ns >= last_ns && event.end_ns >= event.start_ns &&
                         event.lane == lane && event.name < trace.names.size();
      if (!sound) std::abort();
      last_ns = event.start_ns;
      if (const traces::OpDetail* op = trace.op_detail(event)) (void)trace.text(op->shapes);
      (void)trace.kernel_detail(event);
    }
  }
  for (const traces::TraceMemory& memory : trace.memory) {
    if (memory.lane >= trace.lanes.size()) std::abort();
  }
}

void trace(Input input) {
  const MemoryFile file(input);
  try {
    check(traces::read_trace(file.path(), {.max_text_bytes = std::uint64_t{1} << 24}));
  } catch (const ConfigError&) {
  }
}

// A verdict file, as `compare` and `ab` write it and `report` and `export` read it.
void verdict(Input input) {
  std::vector<verdict::Comparison> read;
  try {
    read = report::read_comparisons(std::string(text_of(input)));
  } catch (const Error&) {
    return;
  }
  const std::string written = report::verdict_json(read);
  require(report::verdict_json(report::read_comparisons(written)) == written,
          "a verdict is read as it was written");
}

}  // namespace

const std::vector<Target>& kept_targets() {
  static const std::vector<Target> all = {
      {"folder", folder}, {"history", history}, {"kept", kept},
      {"night", night},   {"nsight", trace},    {"packed", packed},
      {"result", result}, {"trace", trace},     {"verdict", verdict}};
  return all;
}

}  // namespace stepbench::fuzz
