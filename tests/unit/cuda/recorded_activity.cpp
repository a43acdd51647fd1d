// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/cuda/recorded_activity.h"

#include <cupti.h>

#include <charconv>
#include <cstring>
#include <istream>
#include <ostream>

#include "harness/base/error.h"
#include "harness/cuda/device_activity.h"

namespace stepbench::cuda {
namespace {

constexpr const char* kFirstLine = "stepbench-activity 1";
constexpr std::size_t kBytesPerLine = 48;

std::uint32_t kind_of(const void* record) {
  CUpti_Activity copy;
  std::memcpy(&copy, record, sizeof copy);
  return copy.kind;
}

void write_hex(const std::vector<std::uint8_t>& bytes, std::ostream& out) {
  constexpr const char* kDigits = "0123456789abcdef";
  for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    std::string line = " ";
    for (std::size_t i = at; i < std::min(bytes.size(), at + kBytesPerLine); ++i) {
      line += kDigits[bytes[i] >> 4U];
      line += kDigits[bytes[i] & 15U];
    }
    out << line << '\n';
  }
}

void append_hex(const std::string& line, std::vector<std::uint8_t>& bytes) {
  for (std::size_t at = 1; at + 1 < line.size(); at += 2) {
    std::uint8_t value = 0;
    const char* digits = line.data() + at;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (error != std::errc{} || end != digits + 2) throw Error("not hexadecimal: " + line);
    bytes.push_back(value);
  }
}

std::string rest_of(std::istringstream& words) {
  std::string text;
  std::getline(words >> std::ws, text);
  return text;
}

}  // namespace

void write(const RecordedActivity& recorded, std::ostream& out) {
  out << kFirstLine << "\nversion " << recorded.version << '\n';
  for (const auto& [callback, name] : recorded.callbacks) {
    out << "callback " << callback.first << ' ' << callback.second << ' ' << name << '\n';
  }
  for (const RecordedBuffer& buffer : recorded.buffers) {
    out << "buffer\n";
    for (const std::size_t at : buffer.records) out << "record " << at << '\n';
    for (const auto& [at, name] : buffer.names) out << "name " << at << ' ' << name << '\n';
    write_hex(buffer.bytes, out);
  }
}

RecordedActivity read_recorded(std::istream& in) {
  RecordedActivity recorded;
  std::string line;
  if (!std::getline(in, line) || line != kFirstLine) {
    throw Error(std::string("no recorded activity: the first line is not '") + kFirstLine + "'");
  }
  while (std::getline(in, line)) {
    if (line.starts_with(' ')) {
      if (recorded.buffers.empty()) throw Error("bytes before the first buffer");
      append_hex(line, recorded.buffers.back().bytes);
      continue;
    }
    std::istringstream words(line);
    std::string what;
    words >> what;
    std::size_t at = 0;
    if (what == "version") {
      words >> recorded.version;
    } else if (what == "callback") {
      std::pair<std::uint32_t, std::uint32_t> callback;
      words >> callback.first >> callback.second;
      recorded.callbacks[callback] = rest_of(words);
    } else if (what == "buffer") {
      recorded.buffers.emplace_back();
    } else if (what == "record" && !recorded.buffers.empty() && words >> at) {
      recorded.buffers.back().records.push_back(at);
    } else if (what == "name" && !recorded.buffers.empty() && words >> at) {
      recorded.buffers.back().names[at] = rest_of(words);
    } else {
      throw Error("recorded activity: unexpected line '" + line + "'");
    }
  }
  return recorded;
}

CuptiApi recording(CuptiApi api, RecordedActivity& into) {
  (void)api.version(&into.version);
  api.next_record = [next = api.next_record, &into](std::uint8_t* buffer, std::size_t size,
                                                    void** record) {
    const bool first = *record == nullptr;
    const int code = next(buffer, size, record);
    if (code != kCuptiSuccess) return code;
    if (first) into.buffers.push_back({.bytes = {buffer, buffer + size}});
    RecordedBuffer& kept = into.buffers.back();
    const auto at = static_cast<std::size_t>(static_cast<std::uint8_t*>(*record) - buffer);
    kept.records.push_back(at);
    if (kind_of(*record) != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return code;
    CUpti_ActivityKernel10 kernel;
    std::memcpy(&kernel, *record, std::min(sizeof kernel, size - at));
    if (kernel.name == nullptr) return code;
    const std::size_t pointer = at + offsetof(CUpti_ActivityKernel10, name);
    kept.names[pointer] = kernel.name;
    std::memset(kept.bytes.data() + pointer, 0, sizeof(char*));
    return code;
  };
  api.callback_name = [name = api.callback_name, &into](std::uint32_t domain,
                                                        std::uint32_t callback) {
    std::string text = name(domain, callback);
    into.callbacks[{domain, callback}] = text;
    return text;
  };
  return api;
}

std::string summary_text(const ops::OpLog& log) {
  struct Sum {
    std::int64_t count = 0, ns = 0, bytes = 0;
  };
  constexpr const char* kKinds[] = {"kernel", "copy", "set", "runtime", "driver", "wait"};
  std::map<std::string, Sum> sums;
  std::int64_t joined = 0;
  for (const ops::DeviceActivity& activity : log.activities) {
    Sum& sum = sums[std::string(kKinds[static_cast<std::size_t>(activity.kind)]) + ' ' +
                    log.names.at(activity.name)];
    ++sum.count;
    sum.ns += activity.end_ns - activity.start_ns;
    sum.bytes += activity.bytes;
    joined += activity.external != 0 ? 1 : 0;
  }
  const ActivitySummary all = summarise_activities(log);
  std::ostringstream out;
  out << "activities " << log.activities.size() << ", " << joined << " under a mark, dropped "
      << log.dropped << "\nbusy " << all.busy_ns << " of " << all.span_ns << " ns\n";
  for (const auto& [name, sum] : sums) {
    out << sum.count << " x " << sum.ns << " ns " << sum.bytes << " bytes: " << name << '\n';
  }
  return out.str();
}

}  // namespace stepbench::cuda
