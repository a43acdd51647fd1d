# SPDX-License-Identifier: Apache-2.0
"""Plans, ids and schema against approved files: plans_test.py STEPBENCH SOURCE_DIR [--approve]."""
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
sets = tempfile.TemporaryDirectory()  # plans ask only whether a data set is there
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
print("\n".join(failures))
sys.exit(1 if failures else 0)
