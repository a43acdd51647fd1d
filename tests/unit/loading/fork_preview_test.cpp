// SPDX-License-Identifier: Apache-2.0
// What `stepbench data show` and mapped files do where the readers are processes.
#include <gmock/gmock.h>

#include "tests/unit/loading/case.h"
#include "tests/unit/loading/formats.h"
#include "workloads/loader/preview/data_preview.h"

namespace stepbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ResolvedCase raw_case(const test::TemporaryFolder& root, std::int64_t workers) {
  return test::loader_case({{"data.kind", Value{"raw_tensor"}},
                            {"data.path", Value{(root / "set").string()}},
                            {"data.shape", Value{"3x32x32"}},
                            {"data.classes", Value{std::int64_t{10}}},
                            {"loader.engine", Value{"fork"}},
                            {"loader.shuffle", Value{true}},
                            {"loader.num_workers", Value{workers}},
                            {"loader.batch_size", Value{std::int64_t{8}}}});
}

TEST(ForkPreview, DeliversWhatTheSameLoaderWithoutProcessesDelivers) {
  const test::TemporaryFolder root;
  test::make("raw_tensor", root / "set", {{"samples", 40}, {"size", 32}});
  const auto preview = [&](std::int64_t workers) {
    return loader::preview_data(raw_case(root, workers), {}, loader::engines(),
                                loader::order_without_torch);
  };
  const loader::DataPreview with = preview(2);
  const loader::DataPreview without = preview(0);
  EXPECT_EQ(with.engine, "fork");
  EXPECT_EQ(without.engine, "inline");
  EXPECT_EQ(with.first_indices, without.first_indices);
  EXPECT_EQ(with.fields[0].all.mean(), without.fields[0].all.mean());
  EXPECT_EQ(with.first_samples[3].label, without.first_samples[3].label);
}

TEST(ForkPreview, AFileThatIsCutUnderAWorkerProcessIsNamed) {
  const test::TemporaryFolder root;
  test::make("raw_tensor", root / "set", {{"samples", 40}, {"size", 32}});
  const std::unique_ptr<data::Dataset> data = data::make_dataset(raw_case(root, 2));
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = "/stepbench-test-"};
  const ResolvedCase resolved = raw_case(root, 2);
  const auto loader =
      loader::make_loader(*data, resolved, loader::order_without_torch(*data, {}), context);
  std::filesystem::resize_file(root / "set/input.bin", 0);
  loader->begin_epoch(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("input.bin: offset 0: the file was cut here"),
                                         HasSubstr("it had 122880 bytes"))));
}

}  // namespace
}  // namespace stepbench
