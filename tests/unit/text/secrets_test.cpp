// SPDX-License-Identifier: Apache-2.0
#include "harness/text/secrets.h"

#include "tests/testing.h"

namespace stepbench::text {
namespace {

const std::vector<std::string> kNone;

TEST(Secrets, VariableName_IdentifiesThem) {
  for (const char* name :
       {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "WANDB_API_KEY", "PGPASSWORD", "GOOGLE_CREDENTIALS",
        "NCCL_AUTH", "hf_token", "SLACK_WEBHOOK_URL", "GH_PAT", "MY_CREDS", "COOKIE", "JWT",
        "MYSQL_PWD", "AZURE_STORAGE_CONNECTION_STRING"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "CUDA_VISIBLE_DEVICES",
                           "PATH", "PWD", "OLDPWD", "LD_LIBRARY_PATH"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Secrets, DifferentValues_HaveDifferentMasks) {
  EXPECT_NE(masked_value("hf_one"), masked_value("hf_two"));
  EXPECT_EQ(masked_value("hf_one"), masked_value("hf_one"));
  EXPECT_EQ(masked_value("hf_one").find("hf_"), std::string::npos);
}

TEST(Secrets, CommandLinesAndConfigs_AreMasked) {
  EXPECT_EQ(mask_secrets("env.HF_TOKEN=hf_abc", kNone), "env.HF_TOKEN=***");
  EXPECT_EQ(mask_secrets("--set=env.my_token=hf_abc", kNone), "--set=env.my_token=***");
  EXPECT_EQ(mask_secrets("--b-env HF_TOKEN=hf_abc --pairs 2", kNone),
            "--b-env HF_TOKEN=*** --pairs 2");
  EXPECT_EQ(mask_secrets("--set 'env.PASSWORD=a' --case 1", kNone),
            "--set 'env.PASSWORD=***' --case 1");
  EXPECT_EQ(mask_secrets("data.tokens=128", kNone), "data.tokens=128");
  EXPECT_EQ(mask_secrets("env: {HF_TOKEN: hf_abc, OMP_NUM_THREADS: 1}\n", kNone),
            "env: {HF_TOKEN: ***, OMP_NUM_THREADS: 1}\n");
  EXPECT_EQ(mask_secrets("env:\n  \"API_KEY\": \"a b\"\n", kNone),
            "env:\n  \"API_KEY\": \"***\"\n");
  EXPECT_EQ(mask_secrets("  HF_TOKEN:\n", kNone), "  HF_TOKEN:\n");
  EXPECT_EQ(mask_secrets("env:\n  HF_TOKEN: |\n    one\n\n    two\n  A: 1\n", kNone),
            "env:\n  HF_TOKEN: ***\n    ***\n\n    ***\n  A: 1\n");
  EXPECT_EQ(mask_secrets("  env.HF_TOKEN:\n  - abc\n  - x\n  model.layers: [1]\n", kNone),
            "  env.HF_TOKEN:\n  - ***\n  - ***\n  model.layers: [1]\n");
  EXPECT_EQ(mask_secrets("  env.HF_TOKEN: [abc, x]\n", kNone), "  env.HF_TOKEN: ***\n");
  EXPECT_EQ(mask_secrets("HF_TOKEN: ${HF_TOKEN}", kNone), "HF_TOKEN: ${HF_TOKEN}");
  EXPECT_EQ(mask_secrets("HF_TOKEN: \"${HF_TOKEN}\"", kNone), "HF_TOKEN: \"${HF_TOKEN}\"");
}

TEST(Secrets, SettingsInSmallLetters_AreMasked) {
  EXPECT_EQ(mask_secrets("--wrap 'env client_secret=abc x'", kNone),
            "--wrap 'env client_secret=*** x'");
  EXPECT_EQ(mask_secrets("note=AccountName=a;AccountKey=abc;x=y", kNone),
            "note=AccountName=a;AccountKey=***");
  for (const char* harmless : {"author=a", "max_token=5", "model.key=3", "passes: 2"}) {
    EXPECT_EQ(mask_secrets(harmless, kNone), harmless);
  }
}

TEST(Secrets, OptionsOfAnyProgram_AreMasked) {
  EXPECT_EQ(mask_secrets("--pass abc --auth=d:e --pw f", kNone), "--pass *** --auth=*** --pw ***");
  EXPECT_EQ(mask_secrets("train.py --api-key abc --lr 1", kNone), "train.py --api-key *** --lr 1");
  EXPECT_EQ(mask_secrets("--password='a b' x", kNone), "--password='***' x");
  EXPECT_EQ(mask_secrets("args: [\"--hf_token\", \"abc\", --lr]", kNone),
            "args: [\"--hf_token\", \"***\", --lr]");
  for (const char* harmless : {"--max-tokens 5", "--pad-token x", "--token", "--token --lr 1",
                               "--token $TOKEN", "a--token b", "--tokenizer gpt2", "-- token a"}) {
    EXPECT_EQ(mask_secrets(harmless, kNone), harmless);
  }
}

// Each alone would move megabytes: minutes in all.
TEST(Secrets, MillionsOfBytes_AreMasked) {
  std::string text;
  std::string masked;
  for (int i = 0; i < 300'000; ++i) {
    text += "A_KEY=b --token c a://b:c@d/?e=f secret\n";
    masked += "A_KEY=*** --token *** a://b:***@d/?e=*** ***\n";
  }
  EXPECT_EQ(mask_secrets(text, std::vector<std::string>{"secret"}), masked);
}

TEST(Secrets, UrlPasswords_AreMasked) {
  EXPECT_EQ(mask_url_passwords("http://me:pass@proxy:8080/x"), "http://me:***@proxy:8080/x");
  EXPECT_EQ(mask_url_passwords("a=redis://:p@h, b=ftp://u:q:r@h"),
            "a=redis://:***@h, b=ftp://u:***@h");
  EXPECT_EQ(mask_secrets("--set env.http_proxy=http://u:pw@h", kNone),
            "--set env.http_proxy=http://u:***@h");
  for (const char* harmless : {"http://proxy:8080/a@b", "https://me@host/x", "c://", "://:@h",
                               "http://me:${PASSWORD}@host", "sqlite:a:b@c"}) {
    EXPECT_EQ(mask_url_passwords(harmless), harmless);
  }
}

TEST(Secrets, UnknownQueryValues_AreMasked) {
  EXPECT_EQ(mask_url_passwords("https://h/x?page=2&code=a1&to%6ben=b2#token=c3"),
            "https://h/x?page=2&code=***&to%6ben=***#token=***");
  for (const char* secret :
       {"?Policy=abc", "?hdnea=abc", "?{to,a}ken=abc", "#token=abc", "?abc", "?a=1;token=abc"}) {
    const std::string masked =
        mask_url_passwords(std::string("see https://h/x") + secret + " there");
    EXPECT_EQ(masked.find("abc"), std::string::npos) << masked;
    EXPECT_TRUE(masked.ends_with("*** there")) << masked;
  }
  for (const char* harmless : {"https://h/{sha}?id={sha}", "https://h/x?p=a.git&a=commit&h=1"}) {
    EXPECT_EQ(mask_url_passwords(harmless), harmless);
  }
}

TEST(Secrets, KnownValue_IsMaskedOnce) {
  const std::vector<std::string> values = {"hf_abcdef", "1"};
  EXPECT_EQ(mask_secrets("curl hf_abcdef 1 hf_abcdef", values), "curl *** 1 ***");
  const std::string once = mask_secrets("env.HF_TOKEN=hf_abc", kNone);
  EXPECT_EQ(mask_secrets(once, kNone), once);
}

}  // namespace
}  // namespace stepbench::text
