// SPDX-License-Identifier: GPL-2.0
/* Values of options as people write them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/argument.h"

bool argument_duration(const char *s, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "m", 60e9 },
		{ "h", 3600e9 },
	};
	char *end;
	double v;

	if (*s < '0' || *s > '9')
		return false;
	v = strtod(s, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		v *= units[i].ns;
		if (!(v >= 1 && v < 1e18))
			return false;
		*ns = v;
		return true;
	}
	return false;
}

bool argument_number(const char *s, uint64_t least, uint64_t most, uint64_t *ret)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*ret = strtoull(s, &end, 10);
	return !errno && !*end && *ret >= least && *ret <= most;
}

bool argument_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "kmg";
	char *end;
	int shift = 0;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*bytes = strtoull(s, &end, 10);
	if (*end) {
		char lower[] = { *end | 0x20, 0 };
		const char *unit = strstr(units, lower);

		if (!unit)
			return false;
		shift = 10 * (unit - units + 1);
		end++;
		/* "64KiB" and "64kB" mean what they say in this trade. */
		if (strcasecmp(end, "ib") == 0 || strcasecmp(end, "b") == 0)
			end += strlen(end);
	}
	if (errno || *end || *bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}
