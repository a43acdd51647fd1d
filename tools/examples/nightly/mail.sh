#!/bin/sh
# Mails an alert: stepbench nightly FILE --on-alert ./mail.sh
# MAIL_TO: who gets it. Needs a sendmail (postfix, exim, msmtp-mta) on this machine.
set -eu
: "${MAIL_TO:?is not set: the address that is to be told}"
alert=$(cat)
field() { printf '%s' "$alert" | jq --raw-output "$1"; }
{
  echo "To: $MAIL_TO"
  echo "Subject: stepbench: $(field '.state + " " + .id + " on " + .host' | tr -d '\r\n')"
  echo "Content-Type: text/plain; charset=utf-8"
  echo
  field '.text, "", "Shown by: " + .show, "", (.series[] | "\(.experiment) \(.case) \(.metric): \(.change * 10000 | round / 100) %")'
} | PATH="$PATH:/usr/sbin:/usr/lib" sendmail -t
