// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write_trace.h"

#include "harness/ops/memory_levels.h"
#include "harness/trace/trace_events.h"
#include "harness/trace/trace_file.h"

namespace stepbench::trace {
namespace {

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

// Some readers find the rank by a pattern that wants the blank behind its colon.
void write_header(TraceFile& file, const ops::OpLog& log, const TraceHeader& header) {
  file.text("{\n\"schemaVersion\": 1,\n\"deviceProperties\": [");
  for (std::size_t i = 0; i < header.devices.size(); ++i) {
    if (i > 0) file.text(", ");
    write_device(file, header.devices[i]);
  }
  file.text("],\n\"distributedInfo\": {\"backend\": ").quoted(header.backend);
  file.text(", \"rank\": ").number(header.rank);
  file.text(", \"world_size\": ").number(header.world);
  file.text("},\n\"record_shapes\": ").number(header.shapes ? 1 : 0);
  file.text(",\n\"profile_memory\": ").number(header.memory ? 1 : 0);
  file.text(",\n\"stepbench\": {\"engine\": ").quoted(header.engine);
  file.text(", \"dropped\": ").number(log.dropped);
  for (const auto& [key, value] : header.own) {
    file.text(", ").quoted(key).text(": ").quoted(value);
  }
  file.text("},\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": ");
  file.number(ops::begin_ns(log) + header.unix_offset_ns).text(",\n\"traceEvents\": [");
}

}  // namespace

void write_trace(const ops::OpLog& log, const TraceHeader& header,
                 const std::filesystem::path& path) {
  TraceFile file(path);
  write_header(file, log, header);
  TraceEvents events(log, header, file);
  events.metadata();
  events.host();
  events.device();
  file.text("\n],\n\"traceName\": ").quoted(path.filename().string()).text("\n}\n");
  file.commit();
}

std::string trace_file_name(const std::string& worker, std::int64_t unix_ms, bool compressed) {
  return worker + '.' + std::to_string(unix_ms) + ".pt.trace.json" + (compressed ? ".gz" : "");
}

}  // namespace stepbench::trace
