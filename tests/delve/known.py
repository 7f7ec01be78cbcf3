# SPDX-License-Identifier: GPL-2.0
"""Known differences between Delve and goprobe, with reasons. tests/delve/compare counts and prints each."""

import re

NOT_FOLLOWED = "unavailable: not followed"
NOT_KNOWN = "unavailable: type not known yet"

# (reason, function, path, Delve's, goprobe's): regular expressions; all must match.
TABLE = [
    ("a generic closure's variables have shapes for types: *uint8 for any pointer, and so a byte of an address behind it",
     r"Closures\[", r"captured\.x\)$", "", ""),
    ("a generic closure's dictionary is not looked for: the result has its shape's type",
     r"Closures\[.*\.func1$", r"~r0", r"main\.Item|^struct$", ""),
    ("goprobe does not follow what only the standard library needs to know (tool/plan/reference.c)",
     "", r"\.(tx|timer|children|done)\b", "a value", NOT_FOLLOWED),
]

# Differences that are expected on the first of two tours only.
FIRST = [
    ("a type inside an interface that the module did not know before",
     "", r"\.\(", "a value", NOT_KNOWN),
]


def explain(first, function, path, expected, got):
    """The reason why this difference is no fault, or None. first: of the first tour."""
    for reason, *patterns in TABLE + (FIRST if first else []):
        if all(re.search(pattern, str(text)) for pattern, text in zip(patterns, (function, path, expected, got))):
            return reason
    return None
