# SPDX-License-Identifier: GPL-2.0
"""What may differ between what attach and read or watch show of one value, and why."""

# (reason, what, path, attach's, the other's): regular expressions, of which all must match. "What" is release of Go, program, limits,
# "argument" or "result", form, command, variable. The path is empty where a row explains a whole value. Of text it is "text": where its
# JSON is explained, it needs no row.
ROWS = [
    ("before Go 1.22 debug information lacks parameters without a name, and so where results on the stack are",
     r"1\.(19|21) random \S+ result", "^$", '"unavailable": "an unnamed parameter nearby is missing from the debug information"', '"value"'),
    ("a record of attach has a limit of bytes, and a read has a larger one",
     r".* values \S+ \w+ json read", "^$", '"beyond --bytes"', ""),
    ("watch has the limit of bytes, and no option for it",
     r".* values \S+ \w+ json watch", "^$", '"beyond --bytes"', '"record is full"'),
    ("the module copies a share of a map's groups, and these have none of the few entries of a map that has been larger",
     r".* values \S+ \w+ json read", "^$", '"beyond --elements"', '^{"type": "map.int.string", .*"key": 4998.*"key": 4999'),
    ("the module copies a share of a map's buckets, and this one moves to others: some entries of few are not in the share",
     r"1\.(19|21|22|23) zoo deep \w+ json read", "^$", '^{"type": "map.int.int".*"len": 40', '^{"type": "map.int.int".*"len": 40.*"key": 39'),
    ("what is left until a deadline is less when it is read later",
     r".* values", "^text$", r'^ctx\{deadline 9h5\d+m[\d.]+s, user: "ann"\}$', r'^ctx\{deadline 9h5\d+m[\d.]+s, user: "ann"\}$'),
]
