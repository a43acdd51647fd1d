// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/bisect_result.h"

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::bisect {
namespace {

BisectRun made_run() {
  BisectRun run{.exit_status = 0,
                .answer = SearchAnswer::kFound,
                .culprit = Culprit{"c3", "slower", {0.05, 0.04, 0.06}},
                .range = FoundRange{"c2", "c3", 1, 0, 0.99},
                .known_layout = 0.004,
                .confidence = 0.95,
                .metric = "step",
                .size = 0.03,
                .build = "make",
                .builds = 7,
                .launches = 90,
                .seconds = 3.5};
  for (const char* id : {"c0", "c1", "c2", "c3", "c4"}) run.commits.push_back({id, "title"});
  run.judged = {
      {.base = "c0", .commit = "c4", .pairs = 8, .change = RelativeChange{0.05, 0.04, 0.06}},
      {.base = "c0", .commit = "c1", .why_not = "the build failed with exit status 2"},
      {.base = "c2", .commit = "c3", .built_separately = true, .build = 1, .pairs = 12}};
  return run;
}

TEST(SearchFile, WrittenSearch_ReadsBackEqual) {
  const test::TemporaryFolder folder;
  BisectRun run = made_run();
  run.folder = folder.path();
  run.inside = {made_run()};
  write_search_file(run);
  const BisectRun read = read_search_file(folder.path());
  EXPECT_EQ(search_json(read), search_json(run));
  EXPECT_EQ(read.judged.at(2).build, 1U);
  EXPECT_EQ(read.inside.front().culprit->title, "slower");
  EXPECT_NO_THROW(check_same_search(read, run));
  run.build = "make -j2";
  EXPECT_THAT([&] { check_same_search(read, run); },
              ThrowsMessage<ConfigError>(HasSubstr("another --build: make, not make -j2")));
}

TEST(SearchFile, NewerVersion_HasAWarning) {
  const test::TemporaryFolder folder;
  folder.write(kSearchFile,
               R"({"schema":"stepbench.bisect","schema_version":"2.99.0","commits":[],"new":1})");
  EXPECT_THAT(read_search_file(folder.path()).newer_version, HasSubstr("newer schema 2.99"));
  folder.write(kSearchFile, R"({"schema":"stepbench.bisect","schema_version":"2.0.0"})");
  EXPECT_THAT([&] { (void)read_search_file(folder.path()); },
              ThrowsMessage<ConfigError>(HasSubstr("field 'commits' is missing")));
}

TEST(SearchFile, EarlierVersion_NamesThePackage) {
  const test::TemporaryFolder folder;
  folder.write(kSearchFile,
               R"({"schema":"stepbench.bisect","schema_version":"1.1.0","commits":[]})");
  EXPECT_THAT([&] { (void)read_search_file(folder.path()); },
              ThrowsMessage<ConfigError>(HasSubstr("a search of stepbench 0.1; continue it")));
  folder.write(kSearchFile, "{");
  EXPECT_THROW((void)read_search_file(folder.path()), ConfigError);
}

TEST(SearchFile, GitLog_HasEachBuiltSide) {
  const auto id = [](int digit) { return std::string(40, static_cast<char>('0' + digit)); };
  const auto line = [&](const std::string& word, int digit) {
    return "# " + word + ": [" + id(digit) + "] title\ngit bisect " + word + ' ' + id(digit) + '\n';
  };
  BisectRun run{.culprit = Culprit{.commit = id(3), .title = "slower"},
                .range = FoundRange{.after = id(2), .last = id(3), .commits = 1}};
  for (int digit = 0; digit < 5; ++digit) run.commits.push_back({id(digit), "title"});
  run.judged = {
      {.base = id(0), .commit = id(4), .pairs = 8},
      {.base = id(0), .commit = id(1), .why_not = "the build failed with exit status 2"},
      {.base = id(2), .commit = id(3), .built_separately = true, .build = 1, .pairs = 12}};
  EXPECT_EQ(bisect_log(run), "git bisect start --first-parent\n" + line("bad", 4) +
                                 line("good", 0) + line("skip", 1) + line("good", 2) +
                                 line("bad", 3) + "# first bad commit: [" + id(3) + "] slower\n");
  run.culprit.reset();
  run.range = FoundRange{.after = id(1), .last = id(3), .commits = 2};
  run.judged = {{.base = id(0), .commit = id(2), .pairs = 16}};
  EXPECT_EQ(bisect_log(run).find(id(2)), std::string::npos) << "nobody knows its side";
  EXPECT_EQ(bisect_log(made_run()), "") << "of versions";
}

}  // namespace
}  // namespace stepbench::bisect
