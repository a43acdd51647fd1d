// SPDX-License-Identifier: Apache-2.0
// Broken, hostile and unusual files give one sentence with the place, or a note; never a partial
// result.
#include <libdeflate.h>
#include <sys/stat.h>

#include <cstring>

#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/record/sample_rows.h"
#include "tests/unit/traces/read_text.h"
#include "tests/unit/traces/trace_text.h"

namespace stepbench::traces {
namespace {

std::string gzip(std::string_view text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

std::string small_file() {
  LogMaker maker;
  maker.step(1, 100, 900);
  maker.shaped("aten::mm", "[[2, 3], [3, 4]]", 200, 300);
  maker.activity(ops::ActivityKind::kKernel, "gemm", 400, 500, 7);
  const test::TemporaryFolder folder;
  write_trace(trace_of(maker.log), folder / "t.json");
  return testing::read_file(folder / "t.json");
}

TEST(BadTrace, OtherFile_IsRejectedWithItsPlace) {
  const std::pair<std::string, const char*> kRefused[] = {
      {"hello", "byte 0: not JSON: expected '{' or '['"},
      {R"({"traceEvents":[{"ph":X}]})", "byte 22: expected a value, found 'X'"},
      {R"({"traceEvents":[{"ph":nothing}]})", "expected a value"},
      {R"({"traceEvents":[{"ph":"X"},]})", "byte 27: expected a value, found ']'"},
      {R"({"traceEvents":[{"ph":"X"} {}]})", "byte 27: expected ',' or ']', found '{'"},
      // An unescaped quotation mark, as written by some versions of torch.
      {R"({"traceEvents":[{"name":"a"b"}]})", "byte 27: expected ',' or '}', found 'b'"},
      {std::string("{\"traceEvents\":[\0]}", 19), "byte 16: expected a value, found byte 0x00"},
      {R"({"traceEvents":[]} [])", "byte 19: text after the end of the trace"},
      {R"({"schema":"1.1.1-chakra.0.0.4","pid":7,"nodes":[{"id":1},{"id":2}]})",
       "an execution trace of PyTorch (ExecutionTraceObserver)"},
      {"[[1, 2], [[0, 5], [0, 6]]]", "a memory timeline of PyTorch"},
      {R"({"segments":[],"device_traces":[[]]})", "a memory snapshot"},
      {R"({"schema":"stepbench.result","version":"1.5.0"})", "a result file of stepbench"},
      {R"({"a":1,"b":[2]})",
       R"(is not a profiler trace: it has no traceEvents, its keys are "a", "b")"},
      {"{}", "is not a profiler trace: it has no traceEvents and no other key"},
      {"PK\x03\x04zzzz", "ZIP archive"},
      {"\x28\xB5\x2F\xFDzzzz", "zstd"},
      {"  \n ", "the text ends"}};
  for (const auto& [text, why] : kRefused) EXPECT_THAT(refusal(text), HasSubstr(why)) << text;
}

TEST(BadTrace, CutFile_IsRejectedAnywhere) {
  const std::string whole = small_file();
  ASSERT_EQ(refusal(whole), "");
  const std::size_t end = whole.find_last_of('}');
  for (std::size_t size = 1; size <= end; size += size < 100 ? 1 : 13) {
    const std::string why = refusal(std::string_view(whole).substr(0, size));
    ASSERT_THAT(why, HasSubstr("the text ends in the middle")) << "cut behind " << size;
    ASSERT_THAT(why, StartsWith("byte " + std::to_string(size) + ":"));
  }
}

TEST(BadTrace, CutOrDamagedGzip_IsRejected) {
  const std::string packed = gzip(small_file());
  ASSERT_EQ(refusal(packed), "");
  for (std::size_t size = 2; size < packed.size(); size += 5) {
    ASSERT_THAT(refusal(std::string_view(packed).substr(0, size)),
                HasSubstr("the gzip file ends in the middle"))
        << size;
  }
  for (std::size_t at = 3; at < packed.size(); at += 3) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const std::string why = refusal(damaged);
    const bool in_header = at < 10;  // its time stamp and flags do not change the text
    ASSERT_TRUE(in_header || !why.empty()) << "byte " << at;
  }
  EXPECT_THAT(refusal(packed + "rubbish"), HasSubstr("not a gzip member"));
  EXPECT_EQ(refusal(packed + std::string(100, '\0')), "") << "padding of a tape";
  EXPECT_THAT(refusal(gzip("{\"traceEvents\":[")), HasSubstr("byte 16 of the unpacked text: "));
}

TEST(BadTrace, ControlCharacters_AreReadWithANote) {
  const Trace trace = trace_of_rows(
      op_row("line\nbreak\x01") + "," +
      op_row("b", "20", "5", R"(,"args":{"Input Dims":N/A,"External id":NaN,"x":-Infinity})"));
  EXPECT_EQ(trace.names.at(0).text, "line\nbreak\x01");
  EXPECT_EQ(trace.count(EventKind::kOp), 2);
  EXPECT_EQ(trace.reading.control_characters, 2);
  EXPECT_EQ(trace.reading.bare_words, 3);
  EXPECT_TRUE(trace.reading.damaged());
  EXPECT_EQ(trace.reading.first_damage_at_byte, 53U);
}

TEST(BadTrace, BadEscapesAndUtf8_AreReadWithANote) {
  const Trace trace = trace_of_rows(op_row(R"(C:\path\q)") + "," + op_row("caf\xE9"));
  EXPECT_EQ(trace.reading.bad_escapes, 1);
  EXPECT_EQ(trace.reading.invalid_utf8, 1);
  EXPECT_EQ(trace.names.at(0).text, R"(C:\path\q)");
  EXPECT_EQ(trace.names.at(1).text, "caf\xEF\xBF\xBD");
}

TEST(BadTrace, InvalidTimes_AreCounted) {
  const Trace trace = trace_of_rows(
      op_row("a", "NaN") + "," + op_row("b", "1e400") + "," + op_row("c", "\"soon\"") + "," +
      op_row("d", "-1e17") + "," + op_row("text", "\"30.5\"") + "," + op_row("long", "1", "1e400") +
      "," + op_row("negative", "50", "-3") +
      R"(,{"ph":"X","cat":"cpu_op","name":"open","pid":1,"tid":2,"ts":60})");
  EXPECT_EQ(trace.reading.ignored.at(0).what, "rows without a time");
  EXPECT_EQ(trace.reading.ignored.at(0).count, 4);
  EXPECT_EQ(trace.reading.text_times, 1);
  EXPECT_EQ(trace.reading.missing_durations, 2);
  EXPECT_EQ(trace.reading.negative_durations, 1);
  const std::vector<TraceEvent>& events = trace.lanes.at(0).events;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].start_ns, 30'500);
  EXPECT_TRUE(events[2].negative);
  EXPECT_EQ(events[2].duration_ns(), 0);
}

TEST(BadTrace, OverflowingSums_AreRejected) {
  std::string rows = op_row("a", "0", "2000000000000000");
  for (int i = 0; i < 3; ++i) rows += "," + op_row("a", "0", "2000000000000000");
  EXPECT_THAT(refusal("{\"traceEvents\":[" + rows + "]}"),
              HasSubstr("the durations of the rows up to here add up to an impossible number"));
}

TEST(BadTrace, EndlessNesting_IsRejectedAtOnce) {
  EXPECT_THAT(refusal(std::string(64 << 20, '[')), HasSubstr("nested deeper than 128"));
  EXPECT_THAT(refusal("{\"traceEvents\":[{\"args\":" + std::string(1'000'000, '[')),
              HasSubstr("nested deeper than 128"));
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += "{\"a\":";
  EXPECT_THAT(refusal(objects), HasSubstr("nested deeper than 128"));
}

TEST(BadTrace, ManyThreads_AreAsManyLanes) {
  std::string rows;
  constexpr int kThreads = 100'000;
  for (int i = 0; i < kThreads; ++i) {
    if (i > 0) rows += ',';
    rows += R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":)" + std::to_string(i) +
            R"(,"ts":1,"dur":1})";
  }
  EXPECT_EQ(trace_of_rows(rows).lanes.size(), static_cast<std::size_t>(kThreads));
}

TEST(BadTrace, MegabyteName_IsReadAndEndlessIsNot) {
  const std::string name(1 << 20, 'n');
  EXPECT_EQ(trace_of_rows(op_row(name) + "," + op_row("b")).names.at(0).text, name);
  EXPECT_EQ(refusal("{\"traceEvents\":[{\"name\":\"" + std::string(80 << 20, 'n')),
            "byte 16: a row or value longer than 64.0 MiB");
}

TEST(BadTrace, NoRows_AreAnEmptyTrace) {
  EXPECT_TRUE(trace_of_rows("").lanes.empty());
  EXPECT_EQ(refusal("[]"), "");
  const Trace named = trace_of_rows(
      R"({"ph":"M","name":"process_name","pid":7,"tid":0,"ts":0,"args":{"name":"python"}})");
  EXPECT_TRUE(named.lanes.empty());
  EXPECT_EQ(named.reading.rows, 1);
}

TEST(BadTrace, SecondListOfRows_IsReadAndNoted) {
  const Trace trace =
      trace_from("{\"traceEvents\":[" + op_row("a") + "],\"traceEvents\":[" + op_row("b") + "]}");
  EXPECT_EQ(trace.count(EventKind::kOp), 2);
  EXPECT_EQ(trace.reading.duplicate_headers, 1);
}

TEST(BadTrace, HeaderOfAnotherType_IsIgnored) {
  const Trace trace = trace_from(
      R"({"deviceProperties":7,"distributedInfo":[1],"baseTimeNanoseconds":"soon",
          "schemaVersion":{},"record_shapes":"yes","INFO":"x","stepbench":null,"host_name":3,
          "a":N/A,"traceEvents":[]})");
  EXPECT_TRUE(trace.devices.empty());
  EXPECT_EQ(trace.rank, std::nullopt);
  EXPECT_EQ(trace.base_ns, std::nullopt);
  EXPECT_EQ(trace.with_shapes, std::nullopt);
  EXPECT_FALSE(trace.own);
  EXPECT_EQ(trace.reading.damaged_headers, 1);
  EXPECT_EQ(trace.reading.bare_words, 1);
}

TEST(BadTrace, InvalidPath_IsNamed) {
  const test::TemporaryFolder folder;
  const auto why = [&](const fs::path& path) {
    return test::error_of<ConfigError>([&] { (void)read_trace(path); });
  };
  EXPECT_THAT(why(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(why(folder / "absent"), HasSubstr("No such file or directory"));
  EXPECT_THAT(why("/dev/null"), HasSubstr("is not a file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(why(folder / "pipe"), HasSubstr("is empty")) << "it must not wait for a writer";
  folder.write("empty", "");
  EXPECT_THAT(why(folder / "empty"), HasSubstr("is empty"));
}

TEST(BadTrace, HugeUnpackedFile_IsRejected) {
  std::string text = "{\"traceEvents\":[";
  text += std::string(32 << 20, ' ');
  const std::string packed = gzip(text);
  ASSERT_LT(packed.size(), 100'000U);
  EXPECT_EQ(refusal(packed, {.max_text_bytes = 8 << 20}).substr(0, 5), "byte ");
  EXPECT_THAT(refusal(packed, {.max_text_bytes = 8 << 20}),
              HasSubstr("more text than 8.00 MiB, the most that is read of one file"));
}

TEST(BadTrace, TooManyRows_AreRejected) {
  std::string text = "{\"traceEvents\":[{}";
  for (int row = 0; row < 1'000; ++row) text += ",{}";
  text += "]}";
  EXPECT_THAT(refusal(text, {.max_rows = 1'000}),
              HasSubstr("more than 1,000 rows, the most that are read of one file"));
  EXPECT_EQ(refusal(text, {.max_rows = 1'001}).find("more than"), std::string::npos);
}

}  // namespace
}  // namespace stepbench::traces
