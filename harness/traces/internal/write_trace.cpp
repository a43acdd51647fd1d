// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include <libdeflate.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/os/files.h"
#include "harness/traces/internal/shapes_text.h"

namespace stepbench::traces {
namespace {

// The text of a file, written and, for a path that ends in .gz, compressed piece by piece. The file
// is complete after commit(), and does not exist without it.
class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& path) : path_(path), file_({}, path) {
    if (path.extension() == ".gz") {
      constexpr int kLevel = 4;
      compressor_.reset(libdeflate_alloc_compressor(kLevel));
      if (compressor_ == nullptr) throw Error("no memory to compress " + path.string());
    }
    file_.write({});
  }

  // Does not sync to disk: writing out a large file would overlap the next launch's measurement.
  void commit() {
    flush();
    file_.close(false);
  }

  TraceFile& text(std::string_view piece) {
    constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
    buffer_ += piece;
    if (buffer_.size() >= kPieceBytes) flush();
    return *this;
  }
  TraceFile& quoted(std::string_view piece) { return text(json::json_string(piece)); }
  template <std::integral Number>
  TraceFile& number(Number value) {
    std::array<char, 24> digits;
    return text({digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr});
  }
  // Nanoseconds as microseconds with three decimals.
  TraceFile& microseconds(std::int64_t ns) {
    if (ns < 0) {
      text("-");
      ns = -ns;
    }
    number(ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    return text({digits, sizeof digits});
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const {
      libdeflate_free_compressor(compressor);
    }
  };

  void flush() {
    if (compressor_ == nullptr) {
      file_.write(buffer_);
    } else if (!buffer_.empty()) {
      packed_.resize(libdeflate_gzip_compress_bound(compressor_.get(), buffer_.size()));
      const std::size_t size = libdeflate_gzip_compress(
          compressor_.get(), buffer_.data(), buffer_.size(), packed_.data(), packed_.size());
      if (size == 0) throw Error("cannot compress " + path_.string());
      file_.write(std::string_view(packed_).substr(0, size));
    }
    buffer_.clear();
  }

  std::filesystem::path path_;
  os::OutputFile file_;
  std::string buffer_;
  std::string packed_;
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

void write_device(TraceFile& file, const ops::TraceDevice& device) {
  file.text(R"({"id": )").number(device.id).text(R"(, "name": )").quoted(device.name);
  file.text(R"(, "totalGlobalMem": )").number(device.total_memory_bytes);
  file.text(R"(, "computeMajor": )").number(device.compute_major);
  file.text(R"(, "computeMinor": )").number(device.compute_minor);
  file.text(R"(, "maxThreadsPerBlock": )").number(device.max_threads_per_block);
  file.text(R"(, "maxThreadsPerMultiprocessor": )").number(device.max_threads_per_multiprocessor);
  file.text(R"(, "regsPerBlock": )").number(device.registers_per_block);
  file.text(R"(, "warpSize": )").number(device.warp_size);
  file.text(R"(, "sharedMemPerBlock": )").number(device.shared_memory_per_block);
  file.text(R"(, "numSms": )").number(device.multiprocessors).text("}");
}

// Some readers find the rank by a pattern that requires the blank after its colon.
void write_header(TraceFile& file, const Trace& trace) {
  file.text("{\n\"schemaVersion\": 1,\n\"deviceProperties\": [");
  for (std::size_t i = 0; i < trace.devices.size(); ++i) {
    if (i > 0) file.text(", ");
    write_device(file, trace.devices[i]);
  }
  file.text("],\n\"distributedInfo\": {\"backend\": ").quoted(trace.backend);
  file.text(", \"rank\": ").number(trace.rank.value_or(0));
  file.text(", \"world_size\": ").number(trace.world.value_or(1));
  file.text("},\n\"record_shapes\": ").number(trace.with_shapes.value_or(false) ? 1 : 0);
  file.text(",\n\"profile_memory\": ").number(trace.with_memory.value_or(false) ? 1 : 0);
  file.text(",\n\"stepbench\": {\"dropped\": ").number(trace.dropped);
  for (const auto& [key, value] : trace.own_facts) {
    file.text(", ").quoted(key).text(": ").quoted(value);
  }
  file.text("},\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": ");
  file.number(trace.base_ns.value_or(0)).text(",\n\"traceEvents\": [");
}

// In an op log, recorded rows have an id; steps and phases do not.
bool is_recorded(const TraceEvent& event) {
  return is_op_or_annotation(event.kind) && event.external != 0;
}

class TraceRows {
 public:
  TraceRows(const Trace& trace, TraceFile& file) : trace_(trace), file_(file) {
    for (const TraceName& name : trace.names) names_.push_back(json::json_string(name.text));
  }

  void write() {
    for (const TraceLane& lane : trace_.lanes) {
      if (lane.kind == LaneKind::kOther) {
        span(lane);
        continue;
      }
      if (lane.kind == LaneKind::kDeviceNotes) continue;  // other tools take waits for work
      name(lane);
      for (const TraceEvent& event : lane.events) row(lane, event);
    }
    for (const TraceMemory& change : trace_.memory) memory(change);
    arrows_to_devices();
    arrows_to_backward();
  }

 private:
  struct Track {
    std::int64_t pid = 0;
    std::int64_t tid = 0;
  };
  static Track track_of(const TraceLane& lane) {
    if (lane.kind == LaneKind::kHost) return {lane.pid, lane.tid};
    return {lane.device, lane.stream};
  }

  void separate() {
    file_.text(first_ ? "\n" : ",\n");
    first_ = false;
  }

  void label(std::string_view what, const Track& of, std::string_view key, std::string_view value) {
    separate();
    file_.text(R"({"ph":"M","name":")").text(what).text(R"(","pid":)").number(of.pid);
    file_.text(R"(,"tid":)").number(of.tid).text(R"(,"ts":0.000,"args":{")").text(key);
    file_.text(R"(":)").text(value).text("}}");
  }

  // Lanes of a process are adjacent.
  void name(const TraceLane& lane) {
    constexpr std::int64_t kDevicesFrom = 5'000'000;
    const Track track = track_of(lane);
    const bool on_host = lane.kind == LaneKind::kHost;
    if (std::pair(on_host, track.pid) != named_) {
      named_ = {on_host, track.pid};
      const Track process = {track.pid, 0};
      label("process_name", process, "name", json::json_string(lane.process_name));
      label("process_labels", process, "labels",
            json::json_string(on_host ? "CPU" : formatted("GPU {}", track.pid)));
      label("process_sort_index", process, "sort_index",
            std::to_string(track.pid + (on_host ? 0 : kDevicesFrom)));
    }
    label("thread_name", track, "name", json::json_string(lane.name));
    label("thread_sort_index", track, "sort_index", std::to_string(track.tid));
  }

  // The recorded interval, from the first to the last record.
  void span(const TraceLane& lane) {
    separate();
    file_.text(R"({"ph":"M","name":"process_sort_index","pid":"Spans","tid":0,"ts":0.000,)");
    file_.text(R"("args":{"sort_index":536870912}})");
    for (const TraceEvent& event : lane.events) {
      separate();
      file_.text(R"({"ph":"X","cat":"Trace","name":)").text(names_[event.name]);
      file_.text(R"(,"pid":"Spans","tid":"PyTorch Profiler","ts":)").microseconds(event.start_ns);
      file_.text(R"(,"dur":)").microseconds(event.duration_ns()).text("}");
    }
  }

  void row(const TraceLane& lane, const TraceEvent& event) {
    const Track track = track_of(lane);
    separate();
    file_.text(R"({"ph":"X","cat":")").text(name_of(event.kind)).text(R"(","name":)");
    file_.text(names_[event.name]).text(R"(,"pid":)").number(track.pid);
    file_.text(R"(,"tid":)").number(track.tid).text(R"(,"ts":)").microseconds(event.start_ns);
    file_.text(R"(,"dur":)").microseconds(event.duration_ns());
    first_member_ = true;
    if (event.external != 0) member("External id").number(event.external);
    if (is_recorded(event)) {
      member("Ev Idx").number(event.external - 1);
      op_members(event);
    } else if (is_call(event.kind)) {
      member("correlation").number(event.correlation);
    } else if (is_device_work(event.kind)) {
      device_members(track, event);
    }
    file_.text(first_member_ ? "}" : "}}");
  }

  TraceFile& member(std::string_view key) {
    file_.text(first_member_ ? R"(,"args":{")" : R"(,")").text(key);
    first_member_ = false;
    return file_.text(R"(":)");
  }

  void op_members(const TraceEvent& event) {
    const OpDetail* op = trace_.op_detail(event);
    if (event.value >= 0) {
      member("Sequence number").number(event.value);
      member("Fwd thread id").number(op == nullptr ? 0 : op->forward_thread);
    }
    if (op == nullptr) return;
    array("Input Dims", op->shapes, are_plain_shapes);
    array("Concrete Inputs", op->arguments, are_plain_arguments);
    if (op->module != ops::kNoIndex) member("Module").quoted(trace_.text(op->module));
  }

  // The text is JSON already, unless the collector wrote another form.
  void array(std::string_view key, std::uint32_t text, bool (*is_json)(std::string_view)) {
    if (text == ops::kNoIndex) return;
    const std::string_view value = trace_.text(text);
    if (is_json(value)) {
      member(key).text(value);
    } else {
      member(key).quoted(value);
    }
  }

  void device_members(const Track& track, const TraceEvent& event) {
    member("device").number(track.pid);
    member("context").number(1);
    member("stream").number(track.tid);
    member("correlation").number(event.correlation);
    if (const KernelDetail* kernel = trace_.kernel_detail(event)) {
      kernel_members(*kernel);
    } else if (event.value >= 0) {
      member("bytes").number(event.value);
      if (event.duration_ns() > 0) {
        hundredths("memory bandwidth (GB/s)", event.value * 100 / event.duration_ns());
      }
    }
  }

  void kernel_members(const KernelDetail& kernel) {
    constexpr double kHundredth = 100;
    member("queued").number(0);
    member("registers per thread").number(kernel.registers_per_thread);
    member("shared memory").number(kernel.shared_memory_bytes);
    if (kernel.blocks_per_sm >= 0) {
      hundredths("blocks per SM", std::llround(kernel.blocks_per_sm * kHundredth));
      hundredths("warps per SM", std::llround(kernel.warps_per_sm * kHundredth));
      member("est. achieved occupancy %").number(std::llround(kernel.occupancy_percent));
    }
    for (const auto& [key, of] :
         {std::pair("grid", kernel.grid), std::pair("block", kernel.block)}) {
      member(key).text("[").number(of[0]).text(",").number(of[1]).text(",").number(of[2]).text("]");
    }
  }

  void hundredths(std::string_view key, std::int64_t value) {
    member(key).number(value / 100).text(".").number(value / 10 % 10).number(value % 10);
  }

  void memory(const TraceMemory& change) {
    const Track track = track_of(trace_.lanes[change.lane]);
    separate();
    file_.text(R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":)");
    file_.number(track.pid).text(R"(,"tid":)").number(track.tid);
    file_.text(R"(,"ts":)").microseconds(change.at_ns);
    file_.text(R"(,"args":{"Total Reserved":)").number(change.total_reserved);
    file_.text(R"(,"Total Allocated":)").number(change.total_allocated);
    file_.text(R"(,"Bytes":)").number(change.bytes).text(R"(,"Addr":)").number(change.address);
    file_.text(R"(,"Device Id":)").number(change.device);
    file_.text(change.device < 0 ? R"(,"Device Type":0}})" : R"(,"Device Type":1}})");
  }

  template <typename Visit>
  void for_each_row(const Visit& visit) const {
    for (const TraceLane& lane : trace_.lanes) {
      for (const TraceEvent& event : lane.events) visit(event);
    }
  }

  void arrows_to_devices() {
    std::unordered_map<std::uint64_t, const TraceEvent*> calls;
    for_each_row([&](const TraceEvent& event) {
      if (is_call(event.kind)) calls.emplace(event.correlation, &event);
    });
    for_each_row([&](const TraceEvent& event) {
      if (!is_device_work(event.kind)) return;
      const auto call = calls.find(event.correlation);
      if (call != calls.end()) arrow("ac2g", event.correlation, *call->second, event);
    });
  }

  // An arrow to each backward function from its forward op: the last with its sequence number.
  void arrows_to_backward() {
    std::unordered_map<std::uint64_t, const TraceEvent*> forward;
    const auto key = [](std::int64_t sequence, std::int64_t thread) {
      return (std::uint64_t(sequence) << 24U) ^ std::uint64_t(thread);
    };
    const auto forward_thread = [&](const TraceEvent& event) {
      const OpDetail* op = trace_.op_detail(event);
      return op == nullptr ? 0 : op->forward_thread;
    };
    for_each_row([&](const TraceEvent& event) {
      if (event.kind != EventKind::kOp || event.value < 0 || forward_thread(event) != 0) return;
      const TraceEvent*& last = forward[key(event.value, trace_.lane_of(event).tid)];
      if (last == nullptr || event.start_ns >= last->start_ns) last = &event;
    });
    std::uint64_t id = 0;
    for_each_row([&](const TraceEvent& event) {
      if (event.kind != EventKind::kOp || forward_thread(event) == 0) return;
      const auto found = forward.find(key(event.value, forward_thread(event)));
      if (found != forward.end()) arrow("fwdbwd", ++id, *found->second, event);
    });
  }

  void arrow(std::string_view category, std::uint64_t id, const TraceEvent& from,
             const TraceEvent& to) {
    for (const TraceEvent* end : {&from, &to}) {
      const Track track = track_of(trace_.lane_of(*end));
      separate();
      file_.text(end == &from ? R"({"ph":"s","id":)" : R"({"ph":"f","bp":"e","id":)").number(id);
      file_.text(R"(,"pid":)").number(track.pid).text(R"(,"tid":)").number(track.tid);
      file_.text(R"(,"ts":)").microseconds(end->start_ns).text(R"(,"cat":")").text(category);
      file_.text(R"(","name":")").text(category).text(R"("})");
    }
  }

  const Trace& trace_;
  TraceFile& file_;
  std::vector<std::string> names_;  // as JSON strings
  std::pair<bool, std::int64_t> named_ = {false, -1};
  bool first_ = true;
  bool first_member_ = true;
};

}  // namespace

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  TraceFile file(path);
  write_header(file, trace);
  TraceRows(trace, file).write();
  file.text("\n],\n\"traceName\": ").quoted(path.filename().string()).text("\n}\n");
  file.commit();
}

std::string trace_file_name(const std::string& worker, std::int64_t unix_ms, bool compressed) {
  return formatted("{}.{}.pt.trace.json{}", worker, unix_ms, compressed ? ".gz" : "");
}

}  // namespace stepbench::traces
