// SPDX-License-Identifier: Apache-2.0
// fork-trace: dispatch-trace's lines for the engine fork itself: worker processes read samples that
// wait for their turn, so that results arrive in the order that the line gives. Prints what is sent
// (D batch worker), received (R batch) and yielded (Y batch), and E at the end of the epoch.
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/fork/batch_ring.h"
#include "workloads/loader/fork/fork_pool.h"
#include "workloads/loader/order.h"
#include "workloads/loader/prefetching_loader.h"

namespace {

using namespace stepbench;

// Writes down what a loader does with its workers, and lets the batch through that is to arrive.
class TracedPool final : public loader::WorkerPool {
 public:
  TracedPool(std::unique_ptr<loader::WorkerPool> workers, const test::SharedGate& gate,
             std::istream& in, std::ostream& out)
      : workers_(std::move(workers)), gate_(gate), in_(in), out_(out) {}

  void send(int worker, const loader::LoaderTask& task) override {
    out_ << " D " << task.batch << ' ' << worker;
    workers_->send(worker, task);
  }
  std::optional<loader::LoaderResult> try_receive() override { return std::nullopt; }
  std::optional<loader::LoaderResult> receive(std::chrono::nanoseconds limit) override {
    std::int64_t batch = -1;
    if (!(in_ >> batch)) throw Error("more results are waited for than the line has");
    out_ << " R " << batch;
    gate_.open(batch);
    return workers_->receive(limit);
  }
  std::int64_t results() const override { return 0; }
  void drain() override { workers_->drain(); }
  void interrupt() override { workers_->interrupt(); }

 private:
  std::unique_ptr<loader::WorkerPool> workers_;
  const test::SharedGate& gate_;
  std::istream& in_;
  std::ostream& out_;
};

void trace(std::istream& in, std::ostream& out) {
  int workers = 0;
  int in_order = 0;
  std::int64_t prefetch_factor = 0;
  std::int64_t tasks = 0;
  in >> workers >> prefetch_factor >> in_order >> tasks;
  const HostClock clock;
  const test::SharedGate gate(tasks);
  const test::IndexDataset data(tasks, [&](const data::SampleKey& key) { gate.pass(key.index); });
  const loader::BatchLayout layout(data.fields(), 1);
  const auto start = [&]() -> std::unique_ptr<loader::WorkerPool> {
    auto ring =
        loader::BatchRing::make(layout.bytes(), static_cast<int>(workers * prefetch_factor) + 2);
    auto pool = std::make_unique<loader::ForkPool>(
        data, layout, std::move(ring),
        loader::ForkPoolOptions{.workers = workers, .prefetch_factor = prefetch_factor}, clock);
    return std::make_unique<TracedPool>(std::move(pool), gate, in, out);
  };
  loader::PrefetchingLoader loader(
      tasks,
      {.num_workers = workers, .prefetch_factor = prefetch_factor, .in_order = in_order != 0},
      loader::sequential_order(tasks), start, clock);
  loader.begin_epoch(0);
  while (const auto batch = loader.next()) out << " Y " << test::indices(*batch).at(0);
  out << " E\n";
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    trace(in, std::cout);
  }
}
