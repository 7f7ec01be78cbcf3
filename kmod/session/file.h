/* SPDX-License-Identifier: GPL-2.0 */
/* Go binaries that a session has opened: inode, executable ranges, runtime. */
#ifndef GP_FILE_H
#define GP_FILE_H

#include <linux/types.h>
#include <goprobe.h>

#include "capture/dynamic_types.h"
#include "session/probe.h"

struct file;
struct gp_reading;
struct gp_reading_part;
struct gp_reads;

/* A range of the file that is mapped executable and not writable. */
struct gp_file_range {
	u64 from;
	u64 to;
};

/**
 * struct gp_file - an opened Go binary
 * @file: keeps inode and mount alive, as uprobe_register() requires
 * @inode: points of the inode that mappings have; not overlayfs's
 * @runtime: verified
 * @dynamic: types of run-time type descriptors and closures
 * @leaving: probes that are being removed
 * @sweep: removes them
 * @spaces: struct gp_jump_space; guarded by the inode's lock, made in the session's turn
 * @slots: struct gp_slots of @spaces; readers hold rcu_read_lock()
 * @nranges: number of @ranges
 * @ranges: where points may be
 */
struct gp_file {
	struct file *file;
	struct gp_inode *inode;
	struct goprobe_runtime runtime;
	struct gp_dynamic dynamic;
	struct list_head leaving;
	struct gp_sweep_job sweep;
	struct list_head spaces;
	struct list_head slots;
	u32 nranges;
	struct gp_file_range ranges[];
};

struct gp_file *gp_file_open(struct file *file, const struct goprobe_runtime *rt,
			     struct gp_reads *reads, const char **why);
void gp_file_close(struct gp_file *f);
struct gp_reading *gp_file_read_points(const struct gp_file *f, const struct goprobe_point *points,
				       u32 n, struct gp_reads *reads, const char **why);
const struct gp_reading_part *gp_file_cold_part(const struct gp_reading *code, u32 i);
int gp_file_check_point(const struct gp_file *f, const struct gp_reading *code, u32 i,
			const struct goprobe_point *point, const char **why);

#endif
