# SPDX-License-Identifier: Apache-2.0
"""Plans, ids, schemas and listed metrics against approved files: plans_test.py STEPBENCH SOURCE_DIR [--approve]."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import yaml

program, source, approve = sys.argv[1], pathlib.Path(sys.argv[2]), "--approve" in sys.argv
golden = source / "tests" / "golden"
sets = tempfile.TemporaryDirectory()  # plans only check that a data set exists
for kind in ("cifar_bin", "safetensors", "raw_tensor", "jpeg_folder", "webdataset"):
    pathlib.Path(sets.name, kind).mkdir()
environment = {**os.environ, "STEPBENCH_DATA": "/tmp", "STEPBENCH_SETS": sets.name, "CUDA_VISIBLE_DEVICES": ""}
failures = []


def stepbench(*arguments):
    done = subprocess.run([program, *arguments], cwd=source, env=environment, text=True, capture_output=True)
    if done.returncode != 0:
        failures.append(f"stepbench {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def compare(path, text):
    if approve:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        failures.append(f"{path} differs from:\n{text}")


ids = ""
for file in sorted((golden / "plans").glob("*.yaml")):
    name = str(file.relative_to(source))
    table = stepbench("plan", name, "--results", "none")
    compare(file.with_suffix(".txt"), "".join(l for l in table.splitlines(True) if not l.startswith("note: num_workers")))
    for case in json.loads(stepbench("plan", name, "--format", "json", "--results", "none") or '{"cases": []}')["cases"]:
        ids += f"{file.stem} {case['case_id']}\n"
compare(golden / "case_ids.txt", ids)

validator = jsonschema.Draft202012Validator(json.loads(stepbench("schema")))
for file in sorted((source / "configs").glob("*.yaml")) + sorted((golden / "plans").glob("*.yaml")):
    for error in validator.iter_errors(yaml.safe_load(file.read_text())):
        failures.append(f"{file}: {error.json_path}: {error.message}")
    stepbench("plan", str(file.relative_to(source)), "--results", "none")

line = jsonschema.Draft202012Validator(json.loads(stepbench("schema", "result")))
data = source / "tests" / "unit" / "record" / "data"
for file in sorted([*(source / "results" / "sample").glob("*.jsonl"), *data.glob("version*/*.jsonl")]):
    if file.parent.name == "version_1_99":
        continue
    for number, text in enumerate(file.read_text().splitlines(), 1):
        for error in line.iter_errors(json.loads(text)):
            failures.append(f"{file}:{number}: {error.json_path}: {error.message[:300]}")
for odd in ('{"kind": "end", "measured": "1"}', '{"kind": "launch", "case_id": "c"}', '{"kind": "other"}'):
    if line.is_valid(json.loads(odd)):
        failures.append(f"the schema of results takes {odd}")

listed = json.loads(stepbench("list", "metrics", "--format", "json") or '{"sources": {}, "metrics": []}')
table, page = stepbench("list", "metrics"), stepbench("list", "metrics", "--format", "markdown")
for metric in listed["metrics"]:
    if metric["source"] not in listed["sources"]:
        failures.append(f"metric {metric['name']} does not say which clock or counter gives it")
    if f"  {metric['name']} (" not in table or f"| `{metric['name']}` | {metric['unit']} | {metric['source']} |" not in page:
        failures.append(f"`stepbench list metrics` does not show {metric['name']}")
if not {"step_ns", "step_device_ns", "loader_fetch_ns", "peak_reserved_bytes"} <= {m["name"] for m in listed["metrics"]}:
    failures.append("`stepbench list metrics` lacks metrics of the harness, the loader or the model")
print("\n".join(failures))
sys.exit(1 if failures else 0)
