// SPDX-License-Identifier: Apache-2.0
// `stepbench-worker data`: the output of a worker with torch equals that of `stepbench` without it.
#include "harness/base/error.h"
#include "harness/run/worker_program.h"
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"
#include "workloads/loader/show_data.h"

namespace stepbench {
namespace {

ResolvedCase shuffled_case(const std::string& engine) {
  test::Options options = test::tiny_images("resnet18");
  options["loader.engine"] = engine;
  options["loader.num_workers"] = std::int64_t{2};
  options["loader.shuffle"] = true;
  options["loader.epochs"] = std::string("separate");
  return test::train_case(options);
}

std::string by_worker(const ResolvedCase& resolved, const loader::ShowDataRequest& request) {
  return test::data_shown(resolved, loader::encode(request));
}

TEST(DataShown, TorchWorker_ShowsTheSame) {
  const loader::ShowDataRequest request{.samples = 20, .json = true};
  const ResolvedCase resolved = shuffled_case("thread");
  ASSERT_TRUE(loader::previews_without_torch(resolved));
  EXPECT_EQ(by_worker(resolved, request),
            loader::show_data(resolved, request, loader::engines(), loader::order_without_torch));
}

TEST(DataShown, TorchLoader_HasTheSameOrder) {
  const ResolvedCase resolved = shuffled_case("torch_cpp");
  ASSERT_FALSE(loader::previews_without_torch(resolved));
  const std::string shown = by_worker(resolved, {.json = true});
  EXPECT_THAT(shown, HasSubstr(R"("engine":"torch_cpp")"));
  const std::string thread = loader::show_data(shuffled_case("thread"), {.json = true},
                                               loader::engines(), loader::order_without_torch);
  const auto from_order = [](const std::string& text) {
    return text.substr(text.find("\"order\""));
  };
  EXPECT_EQ(from_order(shown), from_order(thread));
}

TEST(DataShown, WorkerError_KeepsItsWords) {
  ResolvedCase resolved = shuffled_case("thread");
  resolved.options["data.kind"] = std::string("jpeg_folder");
  resolved.options["data.path"] = std::string("/nowhere");
  resolved.options["data.augment"] = true;
  resolved.options["data.decode"] = std::string("exact");
  resolved.options["data.on_error"] = std::string("error");
  EXPECT_THAT(
      [&] {
        (void)run::data_shown_by(run::find_worker(STEPBENCH_LOADING_WORKER, {}), resolved,
                                 loader::encode(loader::ShowDataRequest{}));
      },
      ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("loading-worker data: "), HasSubstr("/nowhere: no such folder"))));
}

}  // namespace
}  // namespace stepbench
