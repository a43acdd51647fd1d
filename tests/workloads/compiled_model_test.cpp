// SPDX-License-Identifier: Apache-2.0
// Models compiled by AOTInductor in a worker process. compiled_models.py makes the files.
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

using test::report_of;

test::Options evaluated(const std::string& kind, const std::string& file) {
  return {{"workload", std::string("eval_step")},
          {"model.kind", kind},
          {"model.path", test::made_by("compiled_models.py", file)}};
}

test::Options with(test::Options options, const std::string& name, Value value) {
  options[name] = std::move(value);
  return options;
}

std::string reason_against(const test::Options& options) {
  const auto failed = test::failure_of(options);
  EXPECT_EQ(failed.stage, protocol::Stage::kSetUp);
  return failed.message;
}

// A compiled model is scored on a full batch, others on four samples: here the same four, twice.
TEST(CompiledModel, FullBatch_MatchesTheScriptedModel) {
  const auto of_four = [](const char* kind, const char* file) {
    return report_of(with(evaluated(kind, file), "data.samples", std::int64_t{4}));
  };
  const record::LaunchReport compiled = of_four("aoti", "eight.pt2");
  const record::LaunchReport scripted = of_four("torchscript", "same.pt");
  EXPECT_EQ(std::get<std::string>(compiled.effective.at("model.digest")).size(), 16U);
  EXPECT_NEAR(std::get<double>(compiled.fingerprint.at("loss")),
              std::get<double>(scripted.fingerprint.at("loss")), 1e-5);
}

TEST(CompiledModel, OtherBatchSize_IsNamed) {
  EXPECT_THAT(
      reason_against(with(evaluated("aoti", "eight.pt2"), "loader.batch_size", std::int64_t{16})),
      AllOf(HasSubstr("dimension 0 of its input was fixed at 8"), HasSubstr("it was given 16"),
            HasSubstr("set loader.batch_size: 8"), HasSubstr("dynamic_shapes")));
}

TEST(CompiledModel, PartialLastBatch_IsFoundEarly) {
  test::Options options = evaluated("aoti", "eight.pt2");
  options["data.samples"] = std::int64_t{30};
  options["loader.epochs"] = std::string("separate");
  options["loader.drop_last"] = false;
  EXPECT_THAT(reason_against(options),
              AllOf(HasSubstr("it was given 6"), HasSubstr("loader.drop_last: true")));
  options["loader.drop_last"] = true;
  EXPECT_GT(std::get<double>(report_of(options).fingerprint.at("loss")), 0);
}

TEST(CompiledModel, OtherSampleShape_IsNamed) {
  EXPECT_THAT(
      reason_against(with(evaluated("aoti", "eight.pt2"), "data.image_size", std::int64_t{16})),
      AllOf(HasSubstr("given 'image' {3, 16, 16} per sample"),
            HasSubstr("dimension 2 of its input was fixed at 32"), HasSubstr("it was given 16")));
}

TEST(CompiledModel, OtherDevice_IsRejected) {
  EXPECT_THAT(reason_against(evaluated("aoti", "for_cuda.pt2")),
              AllOf(HasSubstr("was compiled for cuda"), HasSubstr("the case runs on cpu"),
                    HasSubstr("export it on that device")));
}

TEST(CompiledModel, OtherFile_IsNamed) {
  for (const char* file : {"text.pt2", "not_compiled.pt2"}) {
    EXPECT_THAT(reason_against(evaluated("aoti", file)),
                AllOf(HasSubstr(file), HasSubstr("is not an AOTInductor package"),
                      HasSubstr("aoti_compile_and_package"), HasSubstr("not compiled yet")));
  }
}

}  // namespace
}  // namespace stepbench
