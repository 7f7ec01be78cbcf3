// SPDX-License-Identifier: GPL-2.0
/* Topics of goprobectl help. */
#include <stdint.h>
#include <string.h>

#include "cmd/topic.h"
#include "rows.h"

static const char *text(struct buf *b)
{
	buf_char(b, 0);
	assert_false(b->failed);
	return b->p;
}

TEST(each_name_has_a_text)
{
	struct buf names = { 0 };
	size_t n = 0;

	topic_names(3, &names);
	assert_non_null(strstr(text(&names), ",\n   "));
	for (char *save, *name = strtok_r(names.p, "\n, ", &save); name;
	     name = strtok_r(NULL, "\n, ", &save), n++) {
		struct buf b = { 0 };

		assert_true(topic_put(name, &b));
		assert_non_null(strchr(text(&b), '\n'));
		assert_null(strstr(b.p, "```"));
		assert_null(strstr(b.p, "\n## "));
		assert_true(b.p[0] != '#' && b.p[0] != ' ');
		buf_fini(&b);
	}
	assert_true(n > 5);
	buf_fini(&names);
}

TEST(topics_are_sections)
{
	struct buf b = { 0 };

	assert_true(topic_put("patterns", &b));
	assert_int_equal(strncmp(text(&b), "Probe specs: ", 13), 0);
	assert_non_null(strstr(b.p, "\n    main.handle(r.Method)(err) "));
	b.len = 0;
	assert_true(topic_put("conditions", &b));
	assert_int_equal(strncmp(text(&b), "Conditions\n", 11), 0);
	buf_fini(&b);
}

TEST(other_names_are_none)
{
	static const char *const names[] = { "", "condition", "conditions ", "Conditions", "#" };
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(topic_put(names[i], &b));
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}
