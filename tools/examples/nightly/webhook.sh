#!/bin/sh
# Sends an alert to a chat: stepbench nightly FILE --on-alert ./webhook.sh
# WEBHOOK_URL: an incoming webhook of Slack, Mattermost, Rocket.Chat or Google Chat, or Discord's with /slack behind it.
set -eu
: "${WEBHOOK_URL:?is not set: the address of the chat that is to be told}"
jq --compact-output '{text: (.text + "\n" + .show)}' |
  curl --fail --silent --show-error --max-time 30 --retry 2 --header 'Content-Type: application/json' --data-binary @- \
    "$WEBHOOK_URL" >/dev/null
