// SPDX-License-Identifier: Apache-2.0
// Messages for an invalid file or argument: the place and the expectation.
#include <chrono>

#include "harness/os/process.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

struct Mistake {
  const char* yaml;
  const char* place;  // line and column, "" for the file as a whole
  const char* what;
};

Refusal refusal_of_file(const std::string& yaml) {
  return refusal_of(yaml, [](plan::PlanRequest& request) {
    request.variables = {{"HOME", "/home/ada"}, {"B", "b"}};
  });
}

void expect_refused(const Mistake& mistake) {
  const std::string place = mistake.place;
  SCOPED_TRACE(mistake.yaml);
  const Refusal refusal = refusal_of_file(mistake.yaml);
  EXPECT_EQ(refusal.where, "sweep.yaml" + (place.empty() ? "" : ":" + place)) << refusal.what;
  EXPECT_THAT(refusal.what, HasSubstr(mistake.what));
}

constexpr Mistake kMistakes[] = {
    // Keys.
    {"workload: loader\nloader:\n  num_wrokers: 4\n", "3:3",
     "unknown key 'num_wrokers' in section 'loader' (did you mean 'num_workers'?)"},
    {"workload: loader\nlaoder: {batch_size: 4}\n", "2:1",
     "unknown key 'laoder' at the top level (did you mean 'loader'?)"},
    {"workload: loader\ndata: {num_workers: 4}\n", "2:8", "(did you mean 'loader.num_workers'?)"},
    {"workload: loader\nnum_workers: 4\n", "2:1", "(did you mean 'loader.num_workers'?)"},
    {"workload: loader\ninterpreter: python3\n", "2:1",
     "unknown key 'interpreter' at the top level; give it as --interpreter PATH"},
    {"workload: loader\nloader.num_workers: 4\n", "2:1",
     "'loader.num_workers' stands inside its section: `loader: {num_workers: ...}`"},
    {"workload: loader\nloader: {xyzzy: 4}\n", "2:10",
     "known keys: batch_size, num_workers, prefetch, pin_memory"},
    {"workload: loader\nloader:\n  batch_size: 4\n  batch_size: 8\n", "4:3",
     "repeated key 'batch_size': it stands in line 3 already"},
    {"workload: loader\ndata: {}\ndata: {}\n", "3:1", "repeated key 'data'"},
    {"workload: train\nmodel: {width: 1, learning_rate: 1}\n", "2:19",
     "unknown key 'learning_rate' in section 'model' (did you mean 'rate'?)"},
    {"workload: train\nlearning_rate: 1\n", "2:1", "(did you mean 'model.rate'?)"},
    {"workload: loader\ndata: {kind: files, path: /, cost: spin}\n", "2:36",
     "'cost' belongs to data.kind synthetic; this file has files"},
    {"workload: loader\nmodel: {width: 4}\n", "2:1",
     "the workload 'loader' does not read the section 'model'"},
    {"workload: loader\nloader: 4\n", "2:9", "'loader' is a section"},
    {"workload: loader\nenv: {\"A=B\": 1}\n", "2:7",
     "cannot be the name of an environment variable"},
    {"workload: loader\nenv: {A: \"x\\0y\"}\n", "2:10", "zero byte"},
    // Values.
    {"workload: loader\nloader: {batch_size: many}\n", "2:22",
     "'loader.batch_size': expected an integer in 1 .. 4096, found 'many'"},
    {"workload: loader\nloader: {batch_size: 4.5}\n", "2:22", "found 4.5"},
    {"workload: loader\nloader: {batch_size: \"4\"}\n", "2:22", "remove the quotes"},
    {"workload: loader\nloader: {batch_size: 1e309}\n", "2:22",
     "'1e309' is too large for a number"},
    {"workload: loader\nloader: {batch_size: !foo 8}\n", "2:22", "'!foo' are not supported"},
    {"workload: loader\nloader: !bar {batch_size: 8}\n", "2:9", "'!bar' are not supported"},
    {"workload: loader\nloader: {pin_memory: yes}\n", "2:22",
     "expected true or false, found 'yes'; write true"},
    {"workload: loader\nloader: {num_workers: [0, 2]}\n", "2:23",
     "to vary it write `sweep: {matrix: {loader.num_workers: [...]}}`"},
    {"workload: loader\nloader:\n  batch_size:\n", "3:3", "found nothing"},
    {"workload: loader\nloader: {num_workers: -1}\n", "2:23",
     "expected an integer in 0 .. 1024, found -1"},
    {"workload: loader\nloader: {num_workers: 99999999999999999999}\n", "2:23",
     "expected an integer in 0 .. 1024"},
    {"workload: loader\nlaunches: x\n", "2:11", "expected an integer in 1 .. 10,000, found 'x'"},
    {"workload: loader\nlimits: {wall_s: 10m}\n", "2:18",
     "expected seconds, such as 600, found '10m'"},
    {"workload: train\nmodel: {width: 1, rate: .inf}\n", "2:25", "expected a number in 0 .. 10"},
    {"workload: train\nmodel: {width: 1, rate: 1e309}\n", "2:25",
     "'1e309' is too large for a number"},
    {"workload: loader\ncompare: {margin: {step: little}}\n", "2:26",
     "expected auto, or a share such as 2% or 0.02, found 'little'"},
    {"workload: loader\ncompare:\n  margin: {steps: 1%}\n", "3:12", "unknown key 'margin.steps'"},
    {"workload: loader\ncompare: {margin: 1%}\n", "2:11", "unknown key 'margin'"},
    {"workload: loader\ndata: {cost: sleeep}\n", "2:14",
     "expected one of none, sleep, spin, found 'sleeep' (did you mean 'sleep'?)"},
    {"workload: loader\ndata: {cost: busy-wait}\n", "2:14", "(did you mean 'spin'?)"},
    {"workload: loader\ndevice: cuda:1\n", "2:9", "there is no CUDA device here"},
    {"workload: loader\ndevice: gpu\n", "2:9", "found 'gpu' (did you mean 'cuda'?)"},
    {"workload: loader\nloader: {num_workers: 0-4}\n", "2:23",
     "found '0-4'; several values are a sweep: `--sweep num_workers=0,...,4`"},
    {"workload: loader\nloader: {num_workers: 1_0}\n", "2:23", "write it without '_'"},
    // Keys of other sections are named with their section.
    {"workload: loader\nloader: {launches: 3}\n", "2:10",
     "unknown key 'launches' in section 'loader' (did you mean 'launches' at the top level?)"},
    {"workload: loader\nloader: {workers: 3}\n", "2:10", "(did you mean 'num_workers'?)"},
    {"workload: train\nloader: {width: 3}\n", "2:10", "(did you mean 'model.width'?)"},
    {"workload: loader\ndata: {type: files}\n", "2:8",
     "unknown key 'type' in section 'data' (did you mean 'kind'?)"},
    {"workload: loader\ndata: {name: files}\n", "2:8", "(did you mean 'kind'?)"},
    {"workload: train\nmodel: {width: 1, device: cuda}\n", "2:19",
     "(did you mean 'device' at the top level?)"},
    {"workload: loader\ndataloader: {batch_size: 2}\n", "2:1",
     "unknown key 'dataloader' at the top level (did you mean 'loader'?)"},
    {"workload: loader\nschedule: {steps: 3}\n", "2:12", "(did you mean 'active'?)"},
    {"workload: loader\nschedule: {warmup_steps: 3}\n", "2:12", "(did you mean 'warmup'?)"},
    // Missing values and malformed files.
    {"workload: trian\n", "1:11",
     "expected one of loader, train, found 'trian' (did you mean 'train'?)"},
    {"loader: {}\n", "1:1", "'workload' is missing: expected one of loader, train"},
    {"workload: train\nmodel: {rate: 0.5}\n", "2:1",
     "'model.width' is missing: expected an integer >= 1"},
    {"workload: train\n", "", "'model.width' is missing"},
    {"", "1:1", "is empty; expected at least `workload: NAME`"},
    {"# nothing\n", "1:1", "is empty"},
    {"- a\n- b\n", "1:1", "expected keys such as `workload: NAME`, found a list"},
    {"workload: loader\nloader:\n\tbatch_size: 4\n", "3:1",
     "tabs are not allowed for indentation; use spaces"},
    // Files and variables.
    {"workload: loader\ndata: {kind: files, path: /no/such/folder}\n", "2:27",
     "no such file or folder: '/no/such/folder'"},
    {"workload: loader\ndata: {kind: files, path: \"/a-{0..7}.tar\"}\n", "2:27",
     "; braces are not expanded to files here: give the folder that holds them; 'data.path': "},
    {"workload: loader\ndata: {kind: files, path: \"http://host/a.tar\"}\n", "2:27",
     "http://: removed in 0.2: use `loader.engine: iterable`"},
    {"workload: loader\ndata: {kind: files, path: \"s3://photos/{0..7}.tar\"}\n", "2:27",
     "s3://: removed in 0.2: use"},
    {"workload: loader\ndata: {kind: files, path: ~/none}\n", "2:27",
     "no such file or folder: '/home/ada/none'"},
    {"workload: loader\ndata: {kind: files, path: ~bob/none}\n", "2:27",
     "'~bob': the home folder of another user"},
    {"workload: loader\ndata: {kind: files, path: $HOME/none}\n", "2:27",
     "'$HOME' is not filled in; write ${HOME}"},
    {"workload: loader\ndata: {kind: files, path: \"${HOME}/none\"}\n", "2:27", "'/home/ada/none'"},
    {"workload: loader\ndata:\n  id: ${A:-${B}}\n", "3:7",
     "a ${...} inside a ${...} is not supported"},
    {"workload: loader\nname: ${NOPE}\n", "2:7", "the environment variable NOPE is not set"},
};

TEST(Mistakes, FileMistake_HasItsPlace) {
  for (const Mistake& mistake : kMistakes) expect_refused(mistake);
}

constexpr Mistake kInASweep[] = {
    {"", "2:1", "the sweep is empty"},
    {"{}", "2:8", "the sweep is empty"},
    {"{matrix: {}}", "2:9", "'matrix' is empty"},
    {"{matrix: {loader.num_workers: []}}", "2:38", "the list of 'loader.num_workers' is empty"},
    {"{include: []}", "2:9", "'include' is empty"},
    {"{exclude: [{loader.num_workers: 0}]}", "2:1", "the sweep is empty"},
    {"{matrix: {loader.num_workers: [1]}, exclude: [{loader.num_workers: 1}]}", "2:1",
     "exclude leaves no case"},
    {"{matrix: {loader.num_wrokers: [1]}}", "2:18",
     "unknown option 'loader.num_wrokers' (did you mean 'loader.num_workers'?)"},
    {"{matrix: {num_wrokers: [0]}}", "2:18", "did you mean 'loader.num_workers'?"},
    {"{matrix: {loader: {num_workers: [0, 2]}}}", "2:18",
     "options of a section are named in full here: `loader.num_workers: [...]`"},
    {"{matrix: [{loader.num_workers: 0}]}", "2:9", "'matrix' is a list"},
    {"{matrix: {data.num_workers: [0, 2]}}", "2:18",
     "unknown option 'data.num_workers' (did you mean 'loader.num_workers'?)"},
    {"{matirx: {}}", "2:9", "unknown key 'matirx' in 'sweep' (did you mean 'matrix'?)"},
    {"{loader.num_workers: [1]}", "2:9", "stands inside `matrix` or `zip`"},
    {"{matrix: {loader.num_workers: [1, x, -3]}}", "2:42", "found 'x'"},
    {"{matrix: {loader.num_workers: [1, x, -3]}}", "2:42",
     "sweep.yaml:2:45: 'loader.num_workers': expected"},
    {"{zip: {loader.num_workers: [1, 2], loader.batch_size: [1, 2, 3]}}", "2:43",
     "'loader.batch_size' has 3 values, 'loader.num_workers' has 2"},
    {"{matrix: {loader.num_workers: [1]}, zip: {loader.num_workers: [2]}}", "2:50",
     "is in matrix and in zip"},
    {"{matrix: {name: [a, b]}}", "2:18", "'name' cannot be varied"},
    {"{matrix: {launches: [1, 2]}}", "2:18", "not part of a case's identity"},
    {"{matrix: {data.size: [1, 2]}}", "2:18",
     "'size' belongs to data.kind files; this file has synthetic"},
    {"{matrix: {loader.num_workers: [1, 2]}, include: [{loader.num_workers: 2}]}", "2:57",
     "repeats a case of the sweep (loader.num_workers=2)"},
    {"{include: [{loader.num_workers: 2}, {loader.num_workers: 2}]}", "2:44", "repeats a case"},
};

TEST(Mistakes, SweepMistake_HasItsPlace) {
  for (const Mistake& mistake : kInASweep) {
    const std::string yaml = std::string("workload: loader\nsweep: ") + mistake.yaml + "\n";
    expect_refused({yaml.c_str(), mistake.place, mistake.what});
  }
}

std::string list_of(int values) {
  std::string text = "[1";
  for (int i = 2; i <= values; ++i) text += ", " + std::to_string(i);
  return text + "]";
}

TEST(Mistakes, TooManyCases_AreCountedNotMade) {
  const std::string two =
      "loader.batch_size: " + list_of(1000) + ", data.samples: " + list_of(1000);
  const auto sweep = [](const std::string& matrix) {
    return "workload: loader\nsweep: {matrix: {" + matrix + "}}\n";
  };
  expect_refused(
      {sweep(two).c_str(), "2:1",
       "the sweep has 1,000,000 cases, more than 100,000; --max-cases 1000000 allows them"});
  expect_refused({sweep(two + ", loader.prefetch: " + list_of(1000)).c_str(), "2:1",
                  "the sweep has more than 10,000,000 cases; no plan may"});
  const Refusal refusal = refusal_of(sweep("loader.batch_size: [1, 2, 3]"),
                                     [](plan::PlanRequest& request) { request.max_cases = 2; });
  EXPECT_THAT(refusal.what, HasSubstr("the sweep has 3 cases, more than 2"));
}

TEST(Mistakes, OverflowingCases_AreRejected) {
  std::string matrix;
  for (const char* option : {"loader.batch_size", "data.samples", "loader.prefetch",
                             "loader.num_workers", "data.id", "env.A", "env.B"}) {
    matrix += (matrix.empty() ? "" : ", ") + std::string(option) + ": " + list_of(1000);
  }
  for (const std::int64_t most : {std::int64_t{10'000'000}, std::int64_t{2305843009213693951},
                                  std::int64_t{0}, std::int64_t{-1}}) {
    const Refusal refusal =
        refusal_of("workload: loader\nsweep: {matrix: {" + matrix + "}}\n",
                   [&](plan::PlanRequest& request) { request.max_cases = most; });
    EXPECT_THAT(refusal.what, HasSubstr("10,000,000")) << most;
  }
}

Refusal refusal_with(const std::string& set, const std::string& yaml = "workload: loader\n") {
  return refusal_of(yaml, [&](plan::PlanRequest& request) {
    request.set = {set};
    request.variables = {{"HOME", "/home/ada"}};
  });
}

TEST(Mistakes, SetMistake_NamesTheFlag) {
  const struct {
    const char* yaml;
    const char* set;
    const char* where;
    const char* what;
  } rows[] = {
      {"workload: loader\n", "loader.num_wrokers=4", "--set loader.num_wrokers",
       "did you mean 'loader.num_workers'?"},
      {"workload: loader\n", "loader.workers=4", "--set loader.workers",
       "unknown option 'loader.workers' (did you mean 'loader.num_workers'?)"},
      {"workload: loader\n", "data.type=files", "--set data.type", "did you mean 'data.kind'?"},
      {"workload: loader\n", "loader.launches=4", "--set loader.launches",
       "unknown option 'loader.launches' (did you mean 'launches'?)"},
      {"workload: train\nmodel: {width: 1}\n", "data.with=4", "--set data.with",
       "unknown option 'data.with'; `stepbench list data` shows its section"},
      {"workload: loader\n", "lodaer.batch_size=4", "--set lodaer.batch_size",
       "(did you mean 'loader.batch_size'?)"},
      {"workload: loader\n", "loader.num_workers=-1", "--set loader.num_workers", "found -1"},
      {"workload: loader\n", "loader.num_workers", "--set loader.num_workers",
       "expected KEY=VALUE"},
      {"workload: loader\n", "batch_size=8,16", "--set batch_size",
       "to measure each of them: --sweep batch_size=8,16"},
      {"workload: loader\n", "data.cost=[none, spin]", "--set data.cost",
       "to measure each of them: --sweep data.cost=none,spin"},
      {"workload: train\nmodel: {width: 1}\n", "learning_rate=1", "--set learning_rate",
       "did you mean 'model.rate'?"},
      {"workload: loader\ndata: {kind: files, path: /}\n", "data.path=~/none", "--set data.path",
       "no such file or folder: '/home/ada/none'"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.set);
    const Refusal refusal = refusal_with(row.set, row.yaml);
    EXPECT_EQ(refusal.where, row.where);
    EXPECT_THAT(refusal.what, HasSubstr(row.what));
  }
  EXPECT_THAT(refusal_with("batch_size=8,x").what, Not(HasSubstr("--sweep")));
}

TEST(Mistakes, WrongFileName_IsNamed) {
  const auto refusal_of_name = [](const char* name) {
    return refusal_of("", [&](plan::PlanRequest& request) { request.file = name; });
  };
  EXPECT_EQ(refusal_of_name("no/such/sweep.yaml").where, "no/such/sweep.yaml");
  EXPECT_THAT(refusal_of_name("no/such/sweep.yaml").what, HasSubstr("cannot be read"));
  EXPECT_THAT(refusal_of_name("/").what, HasSubstr("is a folder"));
  EXPECT_THAT(refusal_of("# " + std::string(std::size_t{9} << 20, 'x') + "\n").what,
              HasSubstr("is larger than 8 MiB"));
}

// For the built-in workloads.
TEST(Mistakes, OtherToolsWords_SuggestOurs) {
  const std::pair<const char*, const char*> kTheirs[] = {
      {"workload: train_step\noptimizer: {learning_rate: 1}\n", "did you mean 'lr'?"},
      {"workload: train_step\noptimizer: {type: mine}\n", "did you mean 'kind'?"},
      {"workload: loader\ndata: {kind: ImageFolder}\n", "did you mean 'jpeg_folder'?"},
      {"workload: loader\nloader: {bs: 1}\n", "did you mean 'batch_size'?"}};
  for (const auto& [yaml, answer] : kTheirs) {
    EXPECT_THAT(os::run_command({STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "plan", "-"},
                                yaml, std::chrono::minutes(10))
                    .err,
                HasSubstr(answer));
  }
}

TEST(Mistakes, SeveralMistakes_ComeTogether) {
  const Refusal refusal = refusal_of("workload: loader\nloader: {batch_size: 0, num_wrokers: 1}\n");
  EXPECT_EQ(refusal.where, "sweep.yaml:2:22");
  EXPECT_THAT(refusal.what, HasSubstr("\nsweep.yaml:2:25: unknown key 'num_wrokers'"));
}

TEST(Mistakes, KeyMistakes_ComeFirstAndOnce) {
  EXPECT_THAT(
      refusal_of("workload: loader\ndata: {kind: synthetic, path: /nowhere/at/all}\n").what,
      AllOf(HasSubstr("'path' belongs to data.kind files"), Not(HasSubstr("no such file"))));
  const std::string what = refusal_of("workload: loader\nloader: {zebra: 1}\n").what;
  const std::size_t first = what.find("prefetch");
  ASSERT_NE(first, std::string::npos) << what;
  EXPECT_EQ(what.find("prefetch", first + 1), std::string::npos) << what;
}

TEST(Mistakes, RuleMistakes_PointAtTheirOption) {
  const WorkloadRule rules[] = {
      {"loader", [](ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
         if (resolved.integer("loader.batch_size") == 3) {
           sink.error("loader.batch_size", "three is odd");
         }
       }}};
  EXPECT_EQ(refusal_of("workload: loader\nloader: {batch_size: 3}\n", {}, rules).where,
            "sweep.yaml:2:22");
  const std::string swept = "workload: loader\nsweep:\n  matrix:\n    loader.batch_size: [1, 3]\n";
  EXPECT_THAT(refusal_of(swept, {}, rules).what, StartsWith("sweep.yaml:4:28: three is odd"));
}

}  // namespace
}  // namespace stepbench::testing
