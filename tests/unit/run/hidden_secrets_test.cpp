// SPDX-License-Identifier: Apache-2.0
#include "harness/run/run_header.h"

#include <variant>

#include "tests/testing.h"

namespace stepbench::run {
namespace {

TEST(HiddenSecrets, ArgumentsOfAScript_AreMasked) {
  const OptionValues shown =
      without_secrets({{"script.args", std::string("--lr 1 --api-key abc A_TOKEN=def")}});
  EXPECT_THAT(std::get<std::string>(shown.at("script.args")),
              StartsWith("--lr 1 --api-key *** A_TOKEN=*** (***"));
}

TEST(HiddenSecrets, WordBehindASecretOption_IsMasked) {
  record::RunRow row{.argv = {"run", "--on-alert", "curl abc", "--", "--password", "abc", "--lr"}};
  hide_secrets(row, {});
  EXPECT_THAT(row.argv, ElementsAre("run", "--on-alert", "***", "--", "--password", "***", "--lr"));
}

}  // namespace
}  // namespace stepbench::run
