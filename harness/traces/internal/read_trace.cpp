// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/line_object.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/traces/internal/byte_source.h"
#include "harness/traces/internal/event_row.h"
#include "harness/traces/internal/event_sink.h"
#include "harness/traces/internal/json_scanner.h"
#include "harness/traces/internal/number_text.h"
#include "harness/traces/internal/read_nsight.h"
#include "harness/traces/internal/trace_builder.h"

namespace stepbench::traces {
namespace {

constexpr std::size_t kMaxDescribedDevices = 1024;
constexpr std::size_t kMaxLogLines = 1000;

std::optional<std::int64_t> integer_of(const json::LineObject& object, std::string_view field) {
  const std::optional<json::JsonView> value = object.find(field);
  return value ? integer_text(value->json()) : std::nullopt;
}

int small_of(const json::LineObject& object, std::string_view field) {
  const std::int64_t value = integer_of(object, field).value_or(0);
  return value < 0 || value > std::numeric_limits<int>::max() ? 0 : static_cast<int>(value);
}

std::string text_of(const json::LineObject& object, std::string_view field) {
  const std::optional<json::JsonView> value = object.find(field);
  if (!value) return {};
  const std::optional<std::string_view> text = value->text();
  return text ? std::string(*text) : std::string{};
}

ops::TraceDevice device_of(const json::LineObject& object) {
  return {.id = small_of(object, "id"),
          .name = text_of(object, "name"),
          .total_memory_bytes = integer_of(object, "totalGlobalMem").value_or(0),
          .compute_major = small_of(object, "computeMajor"),
          .compute_minor = small_of(object, "computeMinor"),
          .max_threads_per_block = small_of(object, "maxThreadsPerBlock"),
          .max_threads_per_multiprocessor = small_of(object, "maxThreadsPerMultiprocessor"),
          .registers_per_block = small_of(object, "regsPerBlock"),
          .warp_size = small_of(object, "warpSize"),
          .shared_memory_per_block = integer_of(object, "sharedMemPerBlock").value_or(0),
          .multiprocessors = small_of(object, "numSms")};
}

void take_devices(const json::JsonView& value, Trace& to) {
  const auto elements = value.elements();
  if (!elements) return;
  if (!to.devices.empty()) ++to.reading.duplicate_headers;
  for (const json::JsonView& element : *elements) {
    const std::optional<json::LineObject> object = element.object();
    if (object && to.devices.size() < kMaxDescribedDevices)
      to.devices.push_back(device_of(*object));
  }
}

void take_own(const json::LineObject& own, Trace& to) {
  to.own = true;
  for (const auto& [key, value] : own.members()) {
    if (key == "dropped") {
      to.dropped = integer_text(value.json()).value_or(0);
      continue;
    }
    const std::optional<std::string_view> text = value.text();
    to.own_facts.emplace_back(key, text ? std::string(*text) : value.json());
  }
}

void take_log(std::string_view level, const json::JsonView& value, Trace& to) {
  const auto lines = value.elements();
  if (!lines) return;
  for (const json::JsonView& line : *lines) {
    const std::optional<std::string_view> text = line.text();
    if (text && to.log_lines.size() < kMaxLogLines) {
      to.log_lines.push_back(std::string(level) + ": " + std::string(*text));
    }
  }
}

// Accepts 0 and 1, or false and true.
std::optional<bool> flag_of(const json::JsonView& value) {
  if (const std::optional<bool> flag = value.flag()) return flag;
  const std::optional<std::int64_t> number = value.integer();
  return number ? std::optional(*number != 0) : std::nullopt;
}

void take_known(std::string_view key, const json::JsonView& value, Trace& to) {
  const std::array flags = {std::pair{"record_shapes", &to.with_shapes},
                            std::pair{"profile_memory", &to.with_memory},
                            std::pair{"with_stack", &to.with_stack}};
  for (const auto& [name, flag] : flags) {
    if (key != name) continue;
    *flag = flag_of(value);
    return;
  }
  if (key == "baseTimeNanoseconds") {
    to.base_ns = integer_text(value.json());
  } else if (key == "deviceProperties") {
    take_devices(value, to);
  } else if (key == "host_name") {
    to.host_name = value.text().value_or(std::string_view{});
  } else if (key == "INFO" || key == "WARNING" || key == "ERROR") {
    take_log(key, value, to);
  } else if (key == "distributedInfo") {
    const std::optional<json::LineObject> object = value.object();
    if (!object) return;
    to.rank = integer_of(*object, "rank");
    to.world = integer_of(*object, "world_size");
    to.backend = text_of(*object, "backend");
  } else if (key == "stepbench") {
    const std::optional<json::LineObject> object = value.object();
    if (object) take_own(*object, to);
  }
}

bool holds(const std::vector<std::string>& keys, std::string_view wanted) {
  return std::ranges::find(keys, wanted) != keys.end();
}

// Keys of a trace file other than traceEvents. Ignored if of another type or damaged.
// `json`: the value as it appears in the file.
void take_header_value(std::string_view key, std::string_view json, Trace& to) {
  json::LineParser parser;
  const std::string line = "{\"value\":" + std::string(json) + "}";
  try {
    const json::LineParser::Line parsed = parser.parse(line, json::LineParser::Padding::kNone);
    const std::optional<json::JsonView> value = parsed.object.find("value");
    if (value) take_known(key, *value, to);
  } catch (const json::LineError&) {
    ++to.reading.damaged_headers;
  }
}

// Identifies a JSON file without traceEvents by its keys: "an execution trace of PyTorch".
std::string kind_of_other_file(const std::vector<std::string>& keys) {
  if (holds(keys, "schema") && holds(keys, "nodes")) {
    return "an execution trace of PyTorch (ExecutionTraceObserver)";
  }
  if (holds(keys, "segments") || holds(keys, "device_traces")) {
    return "a memory snapshot of PyTorch";
  }
  if (holds(keys, "schema") && holds(keys, "version")) {
    return "a result file of stepbench; `stepbench show` reads those";
  }
  return {};
}

constexpr std::size_t kMaxPieceBytes = std::size_t{64} << 20;  // per row or header value
constexpr std::size_t kMaxKeys = 64;

class TraceReader {
 public:
  TraceReader(const std::filesystem::path& path, const ReadOptions& options)
      : path_(path),
        options_(options),
        source_(path),
        window_(source_, options.max_text_bytes),
        sink_(builder_) {}

  Trace read() {
    refuse_binary_files();
    char first = 0;
    piece([&] { return scanner_.next(first); });
    if (first == '{') {
      object();
    } else if (first == '[') {
      bare_array_ = true;
      rows();
    } else {
      fail_at(scanner_.at(), "not JSON: expected '{' or '['");
    }
    nothing_behind();
    ReadingFacts& facts = builder_.trace().reading;
    facts.path = path_.string();
    facts.compressed = source_.compressed();
    facts.text_bytes = source_.text_bytes();
    sink_.finish();
    return builder_.finish();
  }

 private:
  // Runs `parse` on one piece; it is called again from the same position with more text if needed.
  template <typename Parse>
  void piece(const Parse& parse) {
    for (;;) {
      scanner_.begin(window_.begin(), window_.end());
      if (parse()) break;
      if (scanner_.stop() == JsonScanner::Stop::kBroken) {
        fail_at(scanner_.at(), scanner_.problem());
      }
      need_more();
    }
    if (scanner_.damage().first != nullptr) note_damage(scanner_.damage());
    window_.consume_to(scanner_.at());
  }

  void need_more() {
    try {
      if (window_.more(kMaxPieceBytes)) return;
    } catch (const TextWindow::Overlong&) {
      fail_at(window_.begin(),
              "a row or value longer than " + text::byte_text(double(kMaxPieceBytes)));
    }
    if (window_.too_much()) {
      fail_at(window_.end(), formatted("more text than {}, the most that is read of one file",
                                       text::byte_text(double(options_.max_text_bytes))));
    }
    fail_at(window_.end(), source_.text_bytes() == 0
                               ? "the file is empty"
                               : "the text ends in the middle; the file was cut, or is still being "
                                 "written");
  }

  void note_damage(const JsonScanner::Damage& damage) {
    ReadingFacts& facts = builder_.trace().reading;
    if (!facts.damaged()) facts.first_damage_at_byte = window_.offset(damage.first);
    facts.control_characters += damage.control_characters;
    facts.bare_words += damage.bare_words;
  }

  void refuse_binary_files() {
    (void)window_.more(kMaxPieceBytes);
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    const std::string_view text(window_.begin(), std::size_t(window_.end() - window_.begin()));
    if (text.starts_with(kMark)) window_.consume_to(window_.begin() + kMark.size());
    const auto refuse = [&](const std::string& what) { throw ConfigError(path_, what); };
    if (text.starts_with("PK\x03\x04")) refuse("is a ZIP archive; unpack it first");
    if (text.starts_with("\x28\xB5\x2F\xFD")) refuse("is packed by zstd; unpack it first");
    if (text.starts_with("QDSTRM") || text.starts_with("\x89NSR")) {
      refuse("is a report of Nsight Systems; convert it with `nsys export --type sqlite`");
    }
  }

  void object() {
    bool ended = false;
    piece([&] { return scanner_.take('{') && scanner_.first('}', ended); });
    while (!ended) {
      std::string_view raw;
      piece([&] { return scanner_.key(raw); });
      std::int64_t bad = 0;
      const std::string key = unescaped(raw, bad);
      if (key == "traceEvents") {
        if (found_) ++builder_.trace().reading.duplicate_headers;
        found_ = true;
        rows();
      } else {
        header_value(key);
      }
      piece([&] { return scanner_.separator('}', ended); });
    }
    if (!found_) no_trace();
  }

  void header_value(const std::string& key) {
    if (keys_.size() < kMaxKeys) keys_.push_back(key);
    char c = 0;
    piece([&] { return scanner_.next(c); });
    const bool of_another_file = key == "nodes" || key == "segments" || key == "device_traces";
    if (c == '[' && of_another_file) {  // may be larger than memory
      std::string_view element;
      list([&] { return scanner_.value(element); }, [](std::uint64_t) {});
      return;
    }
    std::string_view json;
    piece([&] { return scanner_.value(json); });
    take_header_value(key, json, builder_.trace());
  }

  // Calls `use` with the position of each element that `parse` has read.
  template <typename Parse, typename Use>
  void list(const Parse& parse, const Use& use) {
    bool ended = false;
    piece([&] { return scanner_.take('[') && scanner_.first(']', ended); });
    while (!ended) {
      const std::uint64_t at_byte = window_.offset(window_.begin());
      piece([&] { return parse() && scanner_.separator(']', ended); });
      use(at_byte);
    }
  }

  void rows() {
    const auto add = [&](std::uint64_t at_byte) {
      if (bare_array_ && !row_.is_object && builder_.trace().reading.rows == 0) {
        throw ConfigError(path_,
                          "is a list of lists or numbers, perhaps a memory timeline of PyTorch; a "
                          "profiler's trace is a list of objects");
      }
      if (++rows_ > options_.max_rows) {
        fail_at(window_.begin(), formatted("more than {}, the most that are read of one file",
                                           text::counted(options_.max_rows, "row")));
      }
      if (!sink_.add(row_, at_byte)) fail_at(window_.begin(), sink_.problem());
    };
    list([&] { return read_row(scanner_, row_); }, add);
  }

  void nothing_behind() {
    scanner_.begin(window_.begin(), window_.end());
    char c = 0;
    while (!scanner_.next(c)) {
      window_.consume_to(window_.end());
      if (!window_.more(kMaxPieceBytes)) return;
      scanner_.begin(window_.begin(), window_.end());
    }
    fail_at(scanner_.at(), "text after the end of the trace");
  }

  [[noreturn]] void no_trace() const {
    const std::string other = kind_of_other_file(keys_);
    if (!other.empty()) {
      throw ConfigError(path_, "is not a profiler trace (it has no traceEvents) but " + other);
    }
    constexpr std::size_t kShown = 5;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < keys_.size() && i < kShown; ++i) {
      shown.push_back('"' + text::printable(keys_[i].substr(0, 40)) + '"');
    }
    throw ConfigError(path_, "is not a profiler trace: it has no traceEvents" +
                                 (shown.empty() ? std::string(" and no other key")
                                                : ", its keys are " + text::join(shown, ", ")));
  }

  [[noreturn]] void fail_at(const char* at, const std::string& what) const {
    throw ConfigError(path_,
                      formatted("byte {}{}{}", window_.offset(at),
                                source_.compressed() ? " of the unpacked text: " : ": ", what));
  }

  const std::filesystem::path& path_;
  const ReadOptions& options_;
  ByteSource source_;
  TextWindow window_;
  JsonScanner scanner_;
  TraceBuilder builder_;
  EventSink sink_;
  EventRow row_;
  std::vector<std::string> keys_;
  std::int64_t rows_ = 0;
  bool found_ = false;
  bool bare_array_ = false;
};

// Never probes a pipe, because what is read from it is lost.
bool is_sqlite(const std::filesystem::path& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "SQLite format 3\0"sv;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string begin(kMagic.size(), ' ');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

}  // namespace

Trace read_trace(const std::filesystem::path& path, const ReadOptions& options) {
  return is_sqlite(path) ? read_nsight(path) : TraceReader(path, options).read();
}

}  // namespace stepbench::traces
