/* SPDX-License-Identifier: GPL-2.0 */
/* Reads of a file when its server may never answer. */
#ifndef GP_READING_H
#define GP_READING_H

#include <linux/kref.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct file;

/**
 * struct gp_reading_part - a range of a reading
 * @offset: in the file
 * @size: bytes
 * @err: 0; -ENODATA: the file is shorter; or an error of reading
 * @bytes: the result
 */
struct gp_reading_part {
	u64 offset;
	u32 size;
	int err;
	u8 *bytes;
};

/**
 * struct gp_reading - ranges of a file that are read together
 * @work: reads them; has its own reference, so that the caller can give up
 * @ref: references
 * @file: the file
 * @progress: end of the last range, or else the beginning, in jiffies
 * @left: the caller has given up
 * @done: all is read
 * @nparts: number of @part
 * @used: bytes of @buffer that ranges use
 * @buffer: behind the last of @part
 * @part: the ranges
 */
struct gp_reading {
	struct work_struct work;
	struct kref ref;
	struct file *file;
	unsigned long progress;
	bool left;
	bool done;
	u32 nparts;
	u32 used;
	u8 *buffer;
	struct gp_reading_part part[];
};

/**
 * struct gp_reads - a session's reads
 * @over: callers must not wait for reads any more
 * @stuck: a reading on which a caller has given up, or NULL
 */
struct gp_reads {
	bool over;
	struct gp_reading *stuck;
};

struct gp_reading *gp_reading_new(struct file *file, u32 nparts, u32 bytes);
void gp_reading_add(struct gp_reading *r, u64 offset, u32 size);
int gp_reading_run(struct gp_reading *r, struct gp_reads *reads, const char **why);
void gp_reading_put(struct gp_reading *r);
void gp_reads_end(struct gp_reads *reads);
void gp_reads_fini(struct gp_reads *reads);
int gp_reading_init(void);
void gp_reading_fini(void);

#endif
