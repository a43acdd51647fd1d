// SPDX-License-Identifier: Apache-2.0
// Models from user files in a worker process. own_models.py makes the files.
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

using test::report_of;

test::Options torchscript(const std::string& file) {
  return {{"model.kind", std::string("torchscript")},
          {"model.path", test::made_by("own_models.py", file)}};
}

test::Options tokens(test::Options options) {
  options["data.kind"] = std::string("synthetic_tokens");
  options["data.sequence_length"] = std::int64_t{12};
  options["data.vocabulary"] = std::int64_t{50};
  return options;
}

std::string refusal(const test::Options& options) {
  const auto failed = test::failure_of(options);
  EXPECT_EQ(failed.stage, protocol::Stage::kSetUp) << "found before the window";
  return failed.message;
}

TEST(TorchScript, Model_TrainsAndIsLegacy) {
  for (const char* file : {"small.pt", "traced.pt"}) {
    const record::LaunchReport report = report_of(torchscript(file));
    EXPECT_EQ(report.metrics.at("model_parameters"), 2690) << file;
    EXPECT_GT(std::get<double>(report.fingerprint.at("gradient_norm")), 0) << file;
    EXPECT_THAT(report.notes, Contains(HasSubstr("TorchScript is legacy"))) << file;
  }
}

TEST(TorchScript, Content_IsInTheResult) {
  const auto digest = [](const char* file) {
    return std::get<std::string>(report_of(torchscript(file)).effective.at("model.digest"));
  };
  EXPECT_EQ(digest("small.pt").size(), 16U);
  EXPECT_NE(digest("small.pt"), digest("traced.pt"));
}

TEST(TorchScript, LanguageModel_Trains) {
  EXPECT_GT(report_of(tokens(torchscript("speaker.pt"))).metrics.at("model_parameters"), 0);
}

TEST(TorchScript, FrozenModel_IsEvaluatedOnly) {
  test::Options options = torchscript("frozen.pt");
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("model.path: "), HasSubstr("frozen.pt"),
                                      HasSubstr("no parameters to train"), HasSubstr("eval_step")));
  options["workload"] = std::string("eval_step");
  EXPECT_EQ(report_of(options).metrics.at("model_parameters"), 0);
}

TEST(TorchScript, OtherFile_IsNamed) {
  for (const char* file : {"text.pt", "weights.pt"}) {
    EXPECT_THAT(refusal(torchscript(file)),
                AllOf(HasSubstr(file), HasSubstr("is not a TorchScript file"),
                      HasSubstr("torch.jit.script(model).save(path)"), Not(HasSubstr("frame #"))));
  }
}

TEST(TorchScript, OtherInputShape_IsNamed) {
  EXPECT_THAT(refusal(torchscript("vectors.pt")),
              AllOf(HasSubstr("given 'image' {3, 32, 32} per sample"),
                    HasSubstr("'1.weight' {10, 64} expects 64 features"),
                    HasSubstr("mat1 and mat2 shapes cannot be multiplied")));
}

TEST(TorchScript, TokenBeyondEmbedding_IsNamed) {
  test::Options options = tokens(torchscript("speaker.pt"));
  options["data.vocabulary"] = std::int64_t{500};
  EXPECT_THAT(refusal(options),
              AllOf(HasSubstr("expects token ids below 50"), HasSubstr("index out of range")));
}

TEST(TorchScript, TooFewClasses_AreNamed) {
  EXPECT_THAT(refusal(torchscript("five_classes.pt")),
              HasSubstr("five_classes.pt gives {4, 5} for 4 samples; this data set needs logits "
                        "{4, 10}"));
}

TEST(TorchScript, OtherOutput_IsNamed) {
  EXPECT_THAT(refusal(torchscript("pair.pt")), HasSubstr("expected one tensor of logits"));
}

}  // namespace
}  // namespace stepbench
