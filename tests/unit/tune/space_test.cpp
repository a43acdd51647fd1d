// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_plan.h"

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::tune {
namespace {

ResolvedCase loader_case(std::int64_t workers, const std::string& device) {
  ResolvedCase own;
  own.workload = "train_step";
  own.options = {{"device", device},
                 {"loader.num_workers", workers},
                 {"loader.batch_size", std::int64_t{24}},
                 {"loader.prefetch_factor", workers == 0 ? Value{} : Value{std::int64_t{3}}},
                 {"loader.pin_memory", false},
                 {"model.precision", std::string("fp32")}};
  return own;
}

ResolvedCase script_case(const std::string& arguments) {
  ResolvedCase own;
  own.workload = "python_script";
  own.options = {{"script.args", arguments}};
  return own;
}

std::vector<std::string> sweeps(const std::string& space, const ResolvedCase& own, int cores = 2) {
  const std::vector<std::string> spaces = {space};
  return sweeps_of(spaces, own, cores);
}

TEST(TuneSpace, Loader_VariesAroundItsValues) {
  EXPECT_THAT(sweeps("loader", loader_case(5, "cpu")),
              ElementsAre("loader.num_workers=0,1,2,3,4,5", "loader.prefetch_factor=1,2,3,4,8"));
  // Without workers there is nothing to read ahead, yet reading ahead may be the gain.
  EXPECT_THAT(sweeps("loader", loader_case(0, "cuda"), 1),
              ElementsAre("loader.num_workers=0,1,2", "loader.prefetch_factor=1,2,4,8",
                          "loader.pin_memory=false,true"));
  EXPECT_THAT(sweeps("batch", loader_case(0, "cpu")),
              ElementsAre("loader.batch_size=6,12,24,48,96,192,384"));
  EXPECT_THAT(sweeps("precision", loader_case(0, "cpu")), ElementsAre("model.precision=fp32,bf16"));
  EXPECT_THAT([] { (void)sweeps("batch", script_case("")); },
              ThrowsMessage<ConfigError>(HasSubstr("--tune NAME=V1,V2,... gives a script")));
}

TEST(TuneSpace, Transfer_ListsThePlacements) {
  ResolvedCase own = loader_case(2, "cuda");
  own.options["transfer.placement"] = std::string("pin_thread");
  EXPECT_THAT(
      sweeps("transfer", own),
      ElementsAre("transfer.placement=inline,inline_non_blocking,pin_thread,prefetch_stream",
                  "loader.pin_memory=false,true"));
  // Options of both spaces are swept once.
  const std::vector<std::string> both = {"loader", "transfer"};
  EXPECT_THAT(sweeps_of(both, own, 1),
              ElementsAre("loader.num_workers=0,1,2", "loader.prefetch_factor=1,2,3,4,8",
                          "loader.pin_memory=false,true",
                          "transfer.placement=inline,inline_non_blocking,pin_thread,"
                          "prefetch_stream"));
  own.options["device"] = std::string("cpu");
  EXPECT_THAT([&] { (void)sweeps("transfer", own); },
              ThrowsMessage<ConfigError>(HasSubstr("nothing is copied on the CPU")));
}

TEST(TuneSpace, Iterable_VariesItsNumbers) {
  ResolvedCase own = loader_case(0, "cpu");
  own.options["loader.engine"] = std::string("iterable");
  EXPECT_THAT([&] { (void)sweeps("loader", own); },
              ThrowsMessage<ConfigError>(HasSubstr("--sweep python.NAME=V1,V2")));
  own.options["python.root"] = std::string("/data");
  own.options["python.image_size"] = std::string("224");
  own.options["python.decode_threads"] = std::string("4");
  own.options["python.buffer_size"] = std::int64_t{1};
  EXPECT_THAT(sweeps("loader", own),
              ElementsAre("python.buffer_size=1,2,4", "python.decode_threads=2,4,8,16"));
  own.options["loader.num_workers"] = std::int64_t{3};
  EXPECT_THAT(sweeps("loader", own),
              ElementsAre("loader.num_workers=1,3,6,12", "python.buffer_size=1,2,4",
                          "python.decode_threads=2,4,8,16"));
}

TEST(TuneSpace, ScriptArguments_AreAppended) {
  EXPECT_EQ(
      sweep_of_arguments("num_workers=0..2,mode=a,b", script_case("--width 3")),
      R"(script.args=["--width 3 --num_workers 0 --mode a","--width 3 --num_workers 0 --mode b",)"
      R"("--width 3 --num_workers 1 --mode a","--width 3 --num_workers 1 --mode b",)"
      R"("--width 3 --num_workers 2 --mode a","--width 3 --num_workers 2 --mode b"])");
  EXPECT_EQ(sweep_of_arguments("--lr=0.1,1e-3", script_case("")),
            R"(script.args=["--lr 0.1","--lr 1e-3"])");
  for (const char* wrong : {"num_workers", "=1", "a=1,a=2", "a=3..1", "a=x y", "a=", "a b=1"}) {
    EXPECT_THROW((void)sweep_of_arguments(wrong, script_case("")), ConfigError) << wrong;
  }
  EXPECT_THROW((void)sweep_of_arguments("a=0..999,b=0..999", script_case("")), ConfigError);
  EXPECT_THROW((void)sweep_of_arguments("a=1", loader_case(0, "cpu")), ConfigError);
}

}  // namespace
}  // namespace stepbench::tune
