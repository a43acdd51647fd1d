// SPDX-License-Identifier: Apache-2.0
// The reader reads what the writer wrote, and irrelevant differences in a file change nothing.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/record/sample_rows.h"
#include "tests/unit/traces/read_text.h"
#include "tests/unit/traces/trace_text.h"

namespace stepbench::traces {
namespace {

using OrderedJson = nlohmann::ordered_json;

TraceHeader full_header() {
  TraceHeader header;
  header.engine = "native";
  header.rank = 3;
  header.world = 8;
  header.unix_offset_ns = 1'700'000'000'000'000'123;
  header.shapes = true;
  header.own = {{"case_id", "abc123"}, {"launch", "2"}};
  header.devices = {{.id = 0,
                     .name = "Scripted GPU",
                     .total_memory_bytes = std::int64_t{16} << 30,
                     .compute_major = 8,
                     .max_threads_per_block = 1024,
                     .max_threads_per_multiprocessor = 2048,
                     .registers_per_block = 65536,
                     .shared_memory_per_block = 49152,
                     .multiprocessors = 108}};
  return header;
}

// Rows of every kind of the writer.
ops::OpLog full_log(std::uint32_t seed) {
  ops::OpLog log = RandomLog(seed).make();
  LogMaker maker;
  maker.log = std::move(log);
  maker.step(7, 1'000, 40'000);
  maker.phase("data_wait", 7, 1'000, 9'001);
  maker.phase("forward", 7, 9'001, 30'000);
  maker.op("odd \"name\" \n caf\xC3\xA9 \xFF", 100, 205).sequence = 9;
  ops::OpEvent& backward = maker.op("MmBackward0", 20'000, 21'000, 1);
  backward.scope = ops::OpScope::kBackwardFunction;
  backward.sequence = 9;
  backward.forward_thread = 0;
  maker.shaped("aten::mm", "[[2,3], [3, 4]]", 500, 777).module = 0;
  maker.shaped("aten::cat", "[[2], bad]", 800, 801);
  maker.shaped("aten::conv2d", "[[1, 2, 8, 8], [2, 2, 3, 3]]", 802, 803);
  maker.log.arguments.resize(maker.log.shapes.size());
  maker.log.arguments.back() = R"(["", "", "", "[2, 2]", "True"])";
  maker.shaped("aten::convolution", "[[1, 2, 8, 8], [2, 2, 1, 1]]", 804, 805);
  maker.log.arguments.resize(maker.log.shapes.size());
  maker.log.arguments.back() = "no \"list\"";
  maker.log.modules = {"layer1.0.conv1"};
  maker.activity(ops::ActivityKind::kDriver, "cuLaunchKernelEx", 600, 650, 90'001);
  ops::DeviceActivity& kernel =
      maker.activity(ops::ActivityKind::kKernel, "nccl_gemm", 900, 12'345, 90'001);
  kernel.grid[0] = 217;
  kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = 96;
  kernel.block[1] = kernel.block[2] = 1;
  kernel.registers_per_thread = 40;
  kernel.device = 0;
  maker
      .activity(ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)", 13'000, 13'777,
                90'002)
      .bytes = 12'345;
  maker.activity(ops::ActivityKind::kMemset, "Memset (Device)", 14'000, 14'001, 90'003).bytes = -1;
  maker.activity(ops::ActivityKind::kKernel, "without times", 0, 0, 90'004);
  maker.memory(3'000, -64, ops::kNoIndex, 0).total_reserved = 4096;
  maker.log.foreign.push_back({2'000, 3'000, 5000, index_of(maker.log.names, "decode")});
  maker.log.dropped = 3;
  return maker.log;
}

fs::path write(const test::TemporaryFolder& folder, const ops::OpLog& log,
               const char* name = "t.pt.trace.json") {
  write_trace(trace_of(log, full_header()), folder / name);
  return folder / name;
}

TEST(RoundTrip, WrittenFile_ReadsAsItsLog) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const test::TemporaryFolder folder;
    const ops::OpLog log = full_log(seed);
    const Trace wanted = trace_of(log, full_header());
    const Trace read = read_trace(write(folder, log));
    ASSERT_EQ(difference(rows_text(read), rows_text(wanted)), "") << "seed " << seed;
    ASSERT_EQ(difference(header_text(read), header_text(wanted)), "");
    EXPECT_FALSE(read.reading.damaged());
    EXPECT_TRUE(read.reading.ignored.empty());
  }
}

// The writer ends a member every 4 MiB of text, the reader takes 1 MiB at a time.
TEST(RoundTrip, LargeFile_IsTheSame) {
  const test::TemporaryFolder folder;
  LogMaker maker;
  for (int i = 0; i < 60'000; ++i) {
    maker.op(i % 3 == 0 ? "aten::add" : "aten::mul", i * 100, i * 100 + 50);
  }
  const Trace plain = read_trace(write(folder, maker.log, "t.json"));
  const Trace read = read_trace(write(folder, maker.log, "t.json.gz"));
  EXPECT_TRUE(read.reading.compressed);
  EXPECT_FALSE(plain.reading.compressed);
  EXPECT_LT(4 * fs::file_size(folder / "t.json.gz"), fs::file_size(folder / "t.json"));
  EXPECT_GT(read.reading.text_bytes, 8'000'000U);
  EXPECT_EQ(read.reading.text_bytes, plain.reading.text_bytes + 3) << "its name ends in .gz";
  EXPECT_EQ(difference(rows_text(read), rows_text(trace_of(maker.log, full_header()))), "");
}

// A pipe delivers a few bytes at a time, so that every place of the text is once the end of a run.
TEST(RoundTrip, AnyPieces_ReadAlike) {
  const test::TemporaryFolder folder;
  const ops::OpLog log = full_log(5);
  const fs::path file = write(folder, log);
  const std::string text = testing::read_file(file);
  for (const std::size_t piece : {1, 3, 61}) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    std::thread writer([&, to = ends[1]] {
      for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::size_t bytes = std::min(piece, text.size() - at);
        if (::write(to, text.data() + at, bytes) != static_cast<ssize_t>(bytes)) break;
      }
      ::close(to);
    });
    const Trace read = read_trace("/proc/self/fd/" + std::to_string(ends[0]));
    writer.join();
    ::close(ends[0]);
    EXPECT_EQ(difference(rows_text(read), rows_text(read_trace(file))), "") << piece;
  }
}

// The same file with its rows changed; `change` may return null to drop one.
Trace changed(const std::function<void(OrderedJson& rows)>& change) {
  const test::TemporaryFolder folder;
  OrderedJson file = OrderedJson::parse(testing::read_file(write(folder, full_log(8))));
  change(file.at("traceEvents"));
  return trace_from(file.dump());
}

std::string unchanged() {
  return rows_text(changed([](OrderedJson&) {}));
}

TEST(RoundTrip, RowOrder_DoesNotMatter) {
  std::mt19937 random(17);
  EXPECT_EQ(difference(rows_text(changed([&](OrderedJson& rows) {
                         std::shuffle(rows.begin(), rows.end(), random);
                       })),
                       unchanged()),
            "");
}

TEST(RoundTrip, OldCategoryNames_DoNotMatter) {
  const std::map<std::string, std::string> old_names = {
      {"cpu_op", "Operator"},   {"cuda_runtime", "Runtime"}, {"kernel", "Kernel"},
      {"gpu_memcpy", "Memcpy"}, {"gpu_memset", "Memset"},    {"ac2g", "async"}};
  const Trace old = changed([&](OrderedJson& rows) {
    for (OrderedJson& row : rows) {
      if (!row.contains("cat")) continue;
      const NameFacts facts = facts_of_name(row.at("name").get<std::string>());
      if (facts.step >= 0 || facts.data_wait) continue;
      const auto found = old_names.find(row.at("cat").get<std::string>());
      if (found == old_names.end()) continue;
      row["cat"] = found->second;
      const bool stream = row.contains("args") && row.at("args").contains("stream");
      const std::string tid = std::to_string(row.at("tid").get<std::int64_t>());
      row["tid"] = stream ? "stream " + tid : tid;
    }
  });
  EXPECT_EQ(difference(rows_text(old), unchanged()), "");
}

TEST(RoundTrip, AnyTimeBase_GivesTheSameTimes) {
  const auto file = [](const std::string& base, const std::string& first,
                       const std::string& second) {
    return trace_from("{\"baseTimeNanoseconds\":" + base + ",\"traceEvents\":[" +
                      op_row("a", first) + "," + op_row("b", second) + "]}");
  };
  const Trace relative = file("1700000000000000000", "10.000", "20.000");
  const Trace absolute = file("0", "1700000000000010", "1700000000000020.0");
  const auto first = [](const Trace& trace) {
    return trace.base_ns.value() + trace.lanes[0].events[0].start_ns;
  };
  EXPECT_EQ(first(relative), first(absolute));
  EXPECT_EQ(relative.resolution_ns, 1000);
  EXPECT_EQ(absolute.resolution_ns, 1000);
  EXPECT_EQ(file("0", "1.001", "2").resolution_ns, 1);
}

}  // namespace
}  // namespace stepbench::traces
