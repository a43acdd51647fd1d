#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian's PostgreSQL server into a folder, without installing or starting anything:
#   unpack_postgres.sh FOLDER
# Its programs are then in FOLDER/usr/lib/postgresql/15/bin.
set -eu
folder=$1
mkdir -p "$folder/packages"
cd "$folder/packages"
apt-get download postgresql-15 postgresql-client-15 libpq5 libicu72 libldap-2.5-0 libsasl2-2 \
  libxml2 libxslt1.1
for package in *.deb; do dpkg -x "$package" "$folder"; done
