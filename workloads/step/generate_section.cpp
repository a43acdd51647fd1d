// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/generate_section.h"

#include <string>

#include "workloads/model/model_kinds.h"

namespace stepbench::step {
namespace {

constexpr std::int64_t kMaxTokens = 1 << 20;

std::string generators() {
  std::string names;
  for (const model::ModelKind& kind : model::model_kinds()) {
    if (kind.generates) names += (names.empty() ? "" : ", ") + kind.variant.name;
  }
  return names;
}

void check_lengths(const ResolvedCase& resolved, RuleSink& sink) {
  if (!resolved.has("data.sequence_length")) return;
  const std::int64_t context = resolved.integer("data.sequence_length");
  const auto [prompt, made] = generate_lengths(resolved, context);
  if (prompt >= 1 && prompt + made <= context) return;
  const bool asked = resolved.has("generate.prompt_tokens");
  const std::string tokens = asked ? std::to_string(prompt) + " tokens of a prompt and " +
                                         std::to_string(made) + " new ones are " +
                                         std::to_string(prompt + made) + ","
                                   : std::to_string(made) + " new tokens and a prompt are";
  sink.error(asked ? "generate.prompt_tokens" : "generate.new_tokens",
             tokens + " more than the context of " + std::to_string(context) +
                 " tokens holds: lower it, or raise data.sequence_length");
}

}  // namespace

Section generate_section() {
  return {
      .name = "generate",
      .doc =
          "How much text a request asks for. A sample of the data is a request: its first tokens "
          "are the prompt, and data.sequence_length is the model's context.",
      .options = {
          {.name = "prompt_tokens",
           .type = OptionType::kInteger,
           .doc = "Tokens of a prompt. Unset: what new_tokens leave of the context.",
           .unit = "tokens",
           .min = 1,
           .max = kMaxTokens,
           .also_called = {"input_len", "prompt_length", "random_input_len"}},
          {.name = "new_tokens",
           .type = OptionType::kInteger,
           .doc =
               "Tokens that are made for each prompt, always all of them: the likeliest one each "
               "time (greedy), and none ends the text.",
           .unit = "tokens",
           .default_value = std::int64_t{32},
           .min = 1,
           .max = kMaxTokens,
           .also_called = {"max_new_tokens", "max_tokens", "output_len", "random_output_len"}},
      }};
}

std::vector<Phase> generate_phases() {
  return {{"prefill", "The prompt through the model, to the first token on the host."},
          {"decode",
           "One token at a time through the model and its key-value cache, each to the "
           "host before the next."}};
}

GenerateLengths generate_lengths(const ResolvedCase& resolved, std::int64_t context) {
  const std::int64_t made = resolved.integer("generate.new_tokens");
  return {.prompt_tokens = resolved.integer_or("generate.prompt_tokens", context - made),
          .new_tokens = made};
}

void check_generate(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  if (!model::model_kind(resolved).generates) {
    sink.error("model.kind",
               resolved.text("model.kind") +
                   " has no key-value cache to generate with; these have one: " + generators());
  }
  check_lengths(resolved, sink);
  if (resolved.flag_or("model.cuda_graph", false)) {
    sink.error("model.cuda_graph",
               "replays a step of fixed shapes; generation attends to one position more each time");
  }
  if (resolved.text("model.loss") != "cross_entropy") {
    sink.error("model.loss", "nothing is scored when text is made; leave it out");
  }
  // A token only counts for the user once it is on the host.
  resolved.options["schedule.sync"] = std::string("step");
}

}  // namespace stepbench::step
