#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian's compare.py of Google Benchmark and promtool of Prometheus into a folder, without installing or
# starting anything:
#   unpack_readers.sh FOLDER
# They are then FOLDER/usr/share/benchmark/compare.py and FOLDER/usr/bin/promtool.
set -eu
folder=$1
mkdir -p "$folder/packages"
cd "$folder/packages"
apt-get download libbenchmark-tools prometheus
for package in *.deb; do dpkg -x "$package" "$folder"; done
