// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tests/testing.h"
#include "tests/unit/loading/leftovers.h"
#include "workloads/loader/loader.h"

namespace stepbench::test {

struct Engine {
  std::string name;
  std::function<std::unique_ptr<loader::Loader>(const data::Dataset&, const loader::LoaderOptions&,
                                                loader::EpochOrder, const Clock&)>
      make;
  bool survives_errors = true;  // false: as many errors as it reads ahead end an epoch early
};
inline std::string name_of_engine(const testing::TestParamInfo<Engine>& engine) {
  return engine.param.name;
}
inline void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

// Promises of every engine with workers, in loader_contract.cpp. A program that links it names the
// engines: INSTANTIATE_TEST_SUITE_P(Thread, LoaderContract, testing::Values(...)).
class LoaderContract : public LeavesNothing, public testing::WithParamInterface<Engine> {
 protected:
  [[nodiscard]] std::unique_ptr<loader::Loader> make(const data::Dataset& data,
                                                     const loader::LoaderOptions& options);
  [[nodiscard]] std::unique_ptr<loader::Loader> make(const data::Dataset& data,
                                                     const loader::LoaderOptions& options,
                                                     loader::EpochOrder order, const Clock& clock) {
    return GetParam().make(data, options, std::move(order), clock);
  }
};

// The same for iterable data sets, in iterable_contract.cpp.
class IterableContract : public LoaderContract {
 protected:
  [[nodiscard]] std::unique_ptr<loader::Loader> make(const data::Dataset& data,
                                                     const loader::LoaderOptions& options) {
    static const HostClock clock;
    return LoaderContract::make(data, options, {}, clock);
  }
};

}  // namespace stepbench::test
