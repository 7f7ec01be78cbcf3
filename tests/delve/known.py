# SPDX-License-Identifier: GPL-2.0
"""What may differ between Delve and goprobe, and why. Each is counted and printed by tests/delve/compare."""

import re

# (reason, function, path, Delve's, goprobe's): regular expressions; all must match.
TABLE = [
]


def explain(options, function, path, expected, got):
    """The reason why this difference is no fault, or None."""
    for reason, *patterns in TABLE:
        if all(re.search(pattern, str(text)) for pattern, text in zip(patterns, (function, path, expected, got))):
            return reason
    return None
