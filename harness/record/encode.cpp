// SPDX-License-Identifier: Apache-2.0
#include "harness/record/encode.h"

#include "harness/record/fields.h"

namespace stepbench::record {

template <typename Row>
std::string encode(const Row& row) {
  return json::object_text(row);
}

template std::string encode(const RunRow& row);
template std::string encode(const ColumnRow& row);
template std::string encode(const WorkerRow& row);
template std::string encode(const StartRow& row);
template std::string encode(const SamplesRow& row);
template std::string encode(const OpsRow& row);
template std::string encode(const LaunchRow& row);
template std::string encode(const EndRow& row);
template std::string encode(const CycleSamples& samples);
template std::string encode(const ops::OpFrame& frame);
template std::string encode(const LaunchReport& report);

}  // namespace stepbench::record
