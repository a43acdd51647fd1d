// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/event.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/fields.h"
#include "harness/os/descriptor.h"
#include "harness/os/text_file.h"

namespace stepbench::nights {

EventNight night_of(const TrackedRun& run) {
  return {
      .run = run.run_id, .utc = run.started_utc, .host = run.host, .experiment = run.experiment};
}

EventNight night_of(const TrackEvent& event) {
  return {.run = text_of(event.details, "night"),
          .utc = text_of(event.details, "night_utc"),
          .host = text_of(event.details, "host"),
          .experiment = text_of(event.details, "experiment")};
}

void set_night(TrackEvent& event, const EventNight& night) {
  event.details["night"] = night.run;
  event.details["night_utc"] = night.utc;
  event.details["host"] = night.host;
  event.details["experiment"] = night.experiment;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEventSchema = "stepbench.event";
constexpr std::int64_t kEventVersion = 1;

}  // namespace

template <typename V>
void fields(V& v, json::Of<RecordedEvent> auto& recorded) {
  auto& event = recorded.event;
  v.constant("schema", kEventSchema);
  if constexpr (!V::kReads) v("version", kEventVersion);
  v("seq", recorded.seq)("at", event.at_utc)("who", event.who)("what", event.what, json::kFilled);
  v("alert", event.alert_id)("from", event.from_state)("to", event.to_state);
  v("reason", event.reason)("details", event.details);
}

namespace {

std::string event_line(const RecordedEvent& recorded) { return json::object_text(recorded); }

RecordedEvent event_of(const json::LineObject& line) {
  if (line.text("schema") != kEventSchema) throw json::LineError("not a stepbench event");
  const auto version = json::read_field<std::int64_t>(line, "version");
  if (version > kEventVersion) {
    throw Error(
        formatted("was written by a newer stepbench, as version {} of an event; this program reads "
                  "{}: use the stepbench that wrote it, or a newer one",
                  version, kEventVersion));
  }
  return json::read<RecordedEvent>(line);
}

[[noreturn]] void refuse_write(const fs::path& file) {
  throw ConfigError(file.string(),
                    std::string("the event cannot be recorded: ") + std::strerror(errno));
}

void lock_within(int descriptor, std::chrono::milliseconds limit, const fs::path& file) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) refuse_write(file);
    if (std::chrono::steady_clock::now() >= deadline) {
      throw ConfigError(file.string(), "is locked by another program; the event was not recorded");
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::string bytes_of(const fs::path& file, std::int64_t from, std::int64_t to) {
  std::string text(static_cast<std::size_t>(to - from), '\0');
  std::ifstream in(file, std::ios::binary);
  in.seekg(from);
  in.read(text.data(), to - from);
  if (in.gcount() != to - from) throw ConfigError(file.string(), "cannot be read");
  return text;
}

KnownEvents known_to(const fs::path& file, std::int64_t bytes) {
  constexpr std::int64_t kTail = 1024;
  return {bytes, digest(bytes_of(file, std::max<std::int64_t>(0, bytes - kTail), bytes))};
}

// End of the last complete line.
off_t whole_lines(const fs::path& file, off_t size) {
  const std::string text = os::read_text(file).value_or("");
  const std::size_t end =
      std::string_view(text).substr(0, static_cast<std::size_t>(size)).rfind('\n');
  return end == std::string::npos ? 0 : static_cast<off_t>(end + 1);
}

void write_all(int descriptor, std::string_view text, const fs::path& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse_write(file);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string event_id(const RecordedEvent& recorded) { return digest(event_line(recorded)); }

KnownEvents append_events(const fs::path& file, std::span<const RecordedEvent> events,
                          KnownEvents known, std::chrono::milliseconds lock_limit) {
  if (events.empty()) return known;
  std::string lines;
  for (const RecordedEvent& each : events) lines += event_line(each) + '\n';
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  const os::Descriptor descriptor(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!descriptor.is_open()) refuse_write(file);
  lock_within(descriptor.value(), lock_limit, file);
  struct stat facts {};
  if (::fstat(descriptor.value(), &facts) != 0) refuse_write(file);
  char last = '\n';
  if (facts.st_size > 0 && ::pread(descriptor.value(), &last, 1, facts.st_size - 1) != 1) {
    refuse_write(file);
  }
  off_t start = facts.st_size;
  if (last != '\n') {
    start = whole_lines(file, facts.st_size);
    if (::ftruncate(descriptor.value(), start) != 0) refuse_write(file);
  }
  try {
    write_all(descriptor.value(), lines, file);
    if (::fsync(descriptor.value()) != 0) refuse_write(file);
  } catch (const ConfigError&) {
    // Undo a partial write: these events belong together.
    if (::ftruncate(descriptor.value(), start) != 0) {
    }
    throw;
  }
  return start == known.bytes ? known_to(file, start + std::ssize(lines)) : known;
}

std::vector<RecordedEvent> read_events(const fs::path& file, KnownEvents& known) {
  std::error_code error;
  const bool exists = fs::exists(file, error);
  if (error) throw ConfigError(file.string(), "cannot be read: " + error.message());
  if (!exists) return {};
  if (fs::is_fifo(file, error)) throw ConfigError(file.string(), "is a pipe; name a file");
  const auto size = static_cast<std::int64_t>(fs::file_size(file, error));
  if (error) throw ConfigError(file.string(), "cannot be read");
  if (known.bytes > size || known_to(file, known.bytes) != known) known = {};
  const std::string text = bytes_of(file, known.bytes, size);
  std::vector<RecordedEvent> events;
  json::LineParser parser;
  std::string_view rest = text;
  for (std::size_t number = 1;; ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      known = known_to(file, size - std::ssize(rest));
      return events;
    }
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (os::trim(line).empty()) continue;
    try {
      events.push_back(event_of(parser.parse(line, json::LineParser::Padding::kNone).object));
    } catch (const Error& problem) {
      if (known.bytes > 0) return read_events(file, known = {});  // for line numbers
      const std::string what = problem.what();
      const bool damaged = dynamic_cast<const json::LineError*>(&problem) != nullptr;
      throw ConfigError(
          formatted("{}:{}", file.string(), number),
          damaged ? formatted("invalid event: {}; correct or delete the line", what) : what);
    }
  }
}

}  // namespace stepbench::nights
