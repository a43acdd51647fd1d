// SPDX-License-Identifier: Apache-2.0
// Ranks of a group as processes: models draw their weights from a generator that threads would
// share. The test process itself never runs a backward pass, after which it could not fork.
#include "workloads/step/steps.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "harness/base/clock.h"
#include "tests/kept_port.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/distributed/internal/gradient_sync.h"

namespace stepbench {
namespace {

constexpr int kSteps = 4;

int exchanges = 0;  // of this process

std::unique_ptr<at::ObserverContext> count_exchange(const at::RecordFunction& function) {
  if (std::string_view(function.name()) == "gloo:all_reduce") ++exchanges;
  return nullptr;
}

// State of one rank after its last step.
struct Trained {
  std::vector<float> weights;
  std::vector<float> exchanges;  // per step
};

void put(std::ofstream& file, const std::vector<float>& numbers) {
  file << numbers.size() << '\n';
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(float)));
}

std::vector<float> take(std::ifstream& file) {
  std::size_t size = 0;
  file >> size;
  file.get();
  std::vector<float> numbers(size);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(size * sizeof(float)));
  return numbers;
}

// Drives it like a worker.
void train(const test::Options& options, int rank, int world, std::uint16_t port,
           const fs::path& out) {
  at::set_num_threads(1);
  at::addGlobalCallback(at::RecordFunctionCallback(count_exchange));
  const TickClock clock;
  WorkerContext context{clock, {}, {}, rank, world};
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port)}};
  context.variables = &variables;
  const Model* trained = nullptr;
  const auto workload = step::make_group_train_step(
      test::train_case(options), context,
      [&](const ResolvedCase& resolved, WorkerContext& of, const Model& model, c10::Device device) {
        trained = &model;
        return of.world == 1 ? std::make_unique<step::GradientSync>()
                             : distributed::make_sync(resolved, of, model, device);
      });
  if (const auto reason = workload->set_up()) throw std::runtime_error(*reason);
  StepRecorder recorder(clock);
  Trained result;
  for (int i = 0; i < kSteps; ++i) {
    const int before = exchanges;
    recorder.start_step(i);
    workload->step(recorder);
    static_cast<void>(recorder.finish_step());
    result.exchanges.push_back(static_cast<float>(exchanges - before));
  }
  for (const at::Tensor& parameter : trained->parameters()) {
    const at::Tensor numbers = parameter.detach().contiguous();
    const auto* first = numbers.const_data_ptr<float>();
    result.weights.insert(result.weights.end(), first, first + numbers.numel());
  }
  workload->tear_down();
  std::ofstream file(out, std::ios::binary);
  put(file, result.weights);
  put(file, result.exchanges);
}

std::vector<Trained> train_in_processes(const test::Options& options, int world) {
  const test::TemporaryFolder folder;
  const test::KeptPort port;
  std::vector<pid_t> processes;
  for (int rank = 0; rank < world; ++rank) {
    const pid_t process = ::fork();
    if (process == 0) {
      int status = 0;
      try {
        train(options, rank, world, port.number(), folder / std::to_string(rank));
      } catch (const std::exception& error) {
        std::cerr << "rank " << rank << ": " << error.what() << '\n';
        status = 1;
      }
      ::_exit(status);
    }
    processes.push_back(process);
  }
  std::vector<Trained> ranks;
  for (int rank = 0; rank < world; ++rank) {
    int status = 0;
    EXPECT_EQ(::waitpid(processes[static_cast<std::size_t>(rank)], &status, 0),
              processes[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(status, 0) << "rank " << rank;
    std::ifstream file(folder / std::to_string(rank), std::ios::binary);
    Trained& trained = ranks.emplace_back();
    trained.weights = take(file);
    trained.exchanges = take(file);
  }
  return ranks;
}

// `batch` samples of all ranks together in each micro batch.
test::Options options_of(std::int64_t batch, int world, const std::vector<std::string>& more = {}) {
  test::Options options = test::tiny_images("mlp");
  options["data.samples"] = std::int64_t{70};  // ranks share them unevenly
  options["loader.shuffle"] = true;
  options["loader.drop_last"] = true;
  options["loader.batch_size"] = batch / world;
  options["optimizer.kind"] = std::string("sgd");
  options["distributed.ranks"] = std::int64_t{world};
  for (const std::string& option : more) test::set_option(options, option);
  return options;
}

// One rank on the joined batch.
const std::vector<float>& weights_alone(std::int64_t batch) {
  static std::map<std::int64_t, std::vector<float>> trained;
  std::vector<float>& weights = trained[batch];
  if (weights.empty()) weights = train_in_processes(options_of(batch, 1), 1).at(0).weights;
  return weights;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  EXPECT_FALSE(a.empty());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  return most;
}

class EachSync : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EachSync, Ranks_MatchOneRankOnTheJoinedBatch) {
  const auto ranks = train_in_processes(options_of(16, 2, GetParam()), 2);
  EXPECT_EQ(ranks[0].weights, ranks[1].weights);
  EXPECT_LT(difference(ranks[0].weights, weights_alone(16)), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    GroupTrainStep, EachSync,
    testing::Values(
        std::vector<std::string>{"distributed.sync=ddp"},
        std::vector<std::string>{"distributed.sync=ddp", "distributed.bucket_cap_mb=0.001"},
        std::vector<std::string>{"distributed.sync=ddp", "distributed.gradient_as_bucket_view=true",
                                 "optimizer.set_to_none=false"},
        std::vector<std::string>{"distributed.sync=ddp", "distributed.gradient_as_bucket_view=true",
                                 "distributed.find_unused_parameters=true"},
        std::vector<std::string>{"distributed.sync=ddp", "distributed.static_graph=true"},
        std::vector<std::string>{"distributed.sync=flat"}));

// fp16 keeps 11 bits of a gradient, bf16 8.
TEST(GroupTrainStep, RoundedGradients_StayNear) {
  for (const std::string type : {"fp16", "bf16"}) {
    SCOPED_TRACE(type);
    const auto ranks = train_in_processes(
        options_of(16, 2, {"distributed.sync=ddp", "distributed.comm_hook=" + type}), 2);
    EXPECT_EQ(ranks[0].weights, ranks[1].weights);
    const double off = difference(ranks[0].weights, weights_alone(16));
    EXPECT_GT(off, 1e-7) << "something was rounded";
    EXPECT_LT(off, 1e-3);
  }
}

TEST(GroupTrainStep, ThreeRanks_Agree) {
  const auto ranks = train_in_processes(options_of(12, 3, {"distributed.sync=ddp"}), 3);
  EXPECT_EQ(ranks[0].weights, ranks[1].weights);
  EXPECT_EQ(ranks[0].weights, ranks[2].weights);
  EXPECT_LT(difference(ranks[0].weights, weights_alone(12)), 1e-6);
}

TEST(GroupTrainStep, NoSync_LetsRanksDiverge) {
  const auto ranks = train_in_processes(options_of(16, 2, {"distributed.sync=none"}), 2);
  EXPECT_GT(difference(ranks[0].weights, ranks[1].weights), 1e-5);
  EXPECT_THAT(ranks[0].exchanges, Each(0));
}

// Batch normalisation: its buffers are exchanged, which does not change the weights.
TEST(GroupTrainStep, ModelWithBuffers_Agrees) {
  for (const std::string sync : {"ddp", "flat"}) {
    const auto ranks = train_in_processes(
        options_of(8, 2, {"distributed.sync=" + sync, "model.kind=resnet18"}), 2);
    EXPECT_EQ(ranks[0].weights, ranks[1].weights) << sync;
  }
}

TEST(GroupTrainStep, LastMicroBatch_ExchangesGradients) {
  for (const std::string sync : {"ddp", "flat"}) {
    SCOPED_TRACE(sync);
    const auto ranks =
        train_in_processes(options_of(8, 2, {"distributed.sync=" + sync, "model.accumulate=2"}), 2);
    EXPECT_EQ(ranks[0].weights, ranks[1].weights);
    EXPECT_LT(difference(ranks[0].weights, weights_alone(16)), 1e-6);
    EXPECT_THAT(ranks[0].exchanges, Each(1));
  }
}

TEST(GroupTrainStep, SmallBuckets_ExchangeOneByOne) {
  const auto ranks = train_in_processes(
      options_of(8, 2, {"distributed.sync=ddp", "distributed.bucket_cap_mb=0.001"}), 2);
  EXPECT_EQ(ranks[0].exchanges[0], 1);
  EXPECT_GT(ranks[0].exchanges[1], 1);
  EXPECT_EQ(ranks[0].exchanges[1], ranks[0].exchanges[kSteps - 1]);
}

}  // namespace
}  // namespace stepbench
