# SPDX-License-Identifier: Apache-2.0
"""Keeps passwords and tokens out of a result file, by the rules of harness/text/secrets.h."""
from __future__ import annotations

import os
import re

_MASK = "***"
_VARIABLE = re.compile(r"TOKEN|SECRET|KEY|PASS|CREDENTIAL|AUTH|COOKIE|JWT|WEBHOOK|BEARER|(^|_)(PAT|PW|CREDS?)(_|$)", re.I)
_FLAG = re.compile(r"-+(.*[-_])?(password|passwd|passphrase|secret|(api|access|secret|private)[-_]key|apikey|"
                   r"(api|auth|access|hf)[-_]token)|-+token", re.I)
_URL_PASSWORD = re.compile(r"(://[^/?#\s:@]*:)[^/?#\s]*(?=@)")
_URL_QUERY = re.compile(r"(?<=[?&;#])([^=&;#\s]*=)[^&;#\s]+")


def masked(words: list[str]) -> list[str]:
    """Returns a command line without secrets."""
    inherited = [value for name, value in os.environ.items()
                 if _VARIABLE.search(name) and not name.startswith("TOKENIZERS_") and len(value) >= 8 and value[0] != "/"]
    shown: list[str] = []
    follows = False
    for word in words:
        name, sign, value = word.partition("=")
        if follows and not word.startswith("-"):
            word = _MASK
        elif value and (_FLAG.fullmatch(name) or (name.isupper() and _VARIABLE.search(name))):
            word = name + sign + _MASK
        follows = bool(_FLAG.fullmatch(word))
        for secret in inherited:
            word = word.replace(secret, _MASK)
        if "://" in word:
            word = _URL_QUERY.sub(r"\1" + _MASK, _URL_PASSWORD.sub(r"\1" + _MASK, word))
        shown.append(word)
    return shown
