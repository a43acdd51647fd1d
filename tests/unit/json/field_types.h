// SPDX-License-Identifier: Apache-2.0
// The structs whose fields a header declares: lists for the round trip and for the fuzzer.
#pragma once

#include "harness/nights/fields.h"
#include "harness/protocol/internal/fields.h"
#include "harness/record/fields.h"

namespace stepbench::testing {

template <template <typename...> typename List>
using Records = List<record::RunRow, record::ColumnRow, record::WorkerRow, record::StartRow,
                     record::SamplesRow, record::OpsRow, record::LaunchRow, record::EndRow>;

template <template <typename...> typename List>
using Messages = List<record::CycleSamples, ops::OpFrame, record::LaunchReport, RuleFacts,
                      CheckAnswer, protocol::CaseMessage, protocol::Hello, protocol::StageMessage,
                      protocol::CycleMessage, protocol::SkippedMessage, protocol::FailedMessage>;

template <template <typename...> typename List>
using Nights = List<nights::NightSeries, nights::NightExperiment, nights::JudgedRow>;

}  // namespace stepbench::testing
