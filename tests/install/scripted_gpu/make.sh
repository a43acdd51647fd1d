#!/usr/bin/env bash
# make.sh FOLDER SCALE [PART=fail|hang|crash]...: a build tree and a PATH whose programs take as long as the real ones do
# on a GPU, times SCALE, and misbehave as asked. tools/gpu_check is tried on them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$1 scale=$2
shift 2
mkdir -p "$folder/bin" "$folder/build/tools/stepbench" "$folder/build/tests/gpu"
printf '%s\n' "$@" >"$folder/behaviour"
cat >"$folder/common" <<COMMON
folder=$folder scale=$scale
COMMON
cat >>"$folder/common" <<'COMMON'
take() { sleep "$(awk -v s="$1" -v k="$scale" 'BEGIN { print s * k }')"; }
# As asked for this part: fails, hangs or crashes.
behave() {
  case $(sed -n "s/^$1=//p" "$folder/behaviour" | tail -n 1) in
    fail) echo "$1 failed as it was told to"; exit 1 ;;
    hang) sleep 1000 ;;
    crash) kill -SEGV $$ ;;
  esac
}
COMMON
program() { cat >"$1" && chmod +x "$1"; }
program "$folder/bin/nvidia-smi" <<PROGRAM
#!/usr/bin/env bash
source $folder/common
case \$1 in
  --query-gpu=*) echo 'Scripted GPU, 580.00, 81559 MiB' ;;
  *) behave facts; take 1; echo "Scripted GPU: \$*" ;;
esac
PROGRAM
program "$folder/bin/ncu" <<PROGRAM
#!/usr/bin/env bash
true
PROGRAM
program "$folder/build/tests/gpu/gpu_facts" <<PROGRAM
#!/usr/bin/env bash
source $folder/common
take 2
echo '| device_count | 1 | 0 | 3 us |'
printf 'device_count\t0\t3000\t1\n' >"\$1"
PROGRAM
program "$folder/build/tests/gpu/gpu_tests" <<PROGRAM
#!/usr/bin/env bash
source $folder/common
if [[ \$1 == --record ]]; then
  take 40; behave record
  echo 'buffer' >"\$2.activity"; echo 'summary' >"\$2.expected"
  exit 0
fi
skipped=\${1#--gtest_filter=*-}
echo 'Note: Google Test filter = *'
take 20
failed=0
for test in Gpu.First Gpu.Second Gpu.Third Gpu.Last; do
  [[ ":\$skipped:" != *":\$test:"* ]] || continue
  echo "[ RUN      ] \$test"
  take 20
  if [[ \$test == Gpu.Second ]]; then
    behaviour=\$(sed -n 's/^tests=//p' $folder/behaviour)
    case \$behaviour in
      fail) echo 'gpu.cpp:1: Failure'; echo "[  FAILED  ] \$test (1 ms)"; failed=1; continue ;;
      *) behave tests ;;
    esac
  fi
  echo 'number: | an event | 1 us | 1 us | passed |'
  echo "[       OK ] \$test (1 ms)"
done
echo '[==========] 4 tests from 1 test suite ran.'
exit \$failed
PROGRAM
program "$folder/build/tools/stepbench/stepbench" <<PROGRAM
#!/usr/bin/env bash
source $folder/common
all="\$*"
if [[ \$1 == show ]]; then
  take .2
  case \$all in
    *"--columns mfu"*) printf 'mfu\n0.62\n' ;;
    *"--columns"*) printf 'column\n\n7\n' ;;
    *) echo 'aten::mm' ;;
  esac
  exit 0
fi
case \$all in
  doctor*) part=doctor seconds=6 ;;
  *profile.ops=native*cuda_graph* | *cuda_graph*) part=graphs seconds=18 ;;
  *profile.ops=native*) part=native seconds=28 ;;
  *profile.ops=kineto*) part=kineto seconds=32 ;;
  *capture_range*) part=ncu seconds=35 ;;
  *"schedule.active=20"*hidden* | *hidden*) part=mfu seconds=25 ;;
  *"schedule.active=20"*) part=numerics seconds=8 ;;
  ab*) part=aa seconds=45 ;;
  *python_*) part=python seconds=18 ;;
  *) part=configs seconds=28 ;;
esac
take "\$seconds"
behave "\$part"
previous=''
for each in "\$@"; do
  [[ \$previous != --results ]] || { mkdir -p "\$each/run"
    echo '{"fingerprint":{"gradient_norm":0.5,"loss":2.25},"flags":[]}' >"\$each/run/results.jsonl"; }
  previous=\$each
done
echo "\$part: measured"
PROGRAM
