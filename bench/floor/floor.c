// SPDX-License-Identifier: GPL-2.0
/*
 * The floor that goprobe is measured against: a breakpoint whose consumer does
 * nothing, from loading the module until unloading it.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/uaccess.h>

#include "compat.h"

static char *path;
module_param(path, charp, 0444);
MODULE_PARM_DESC(path, "file to put the breakpoint into");

static ulong offset;
module_param(offset, ulong, 0444);
MODULE_PARM_DESC(offset, "where, in the file");

static bool clock;
module_param(clock, bool, 0444);
MODULE_PARM_DESC(clock, "read the clock at each hit");

static bool ret;
module_param(ret, bool, 0444);
MODULE_PARM_DESC(ret, "the place is a RET: carry it out (6.1, 6.12: where the kernel honours a changed ip)");

static struct path floor_path;
static struct inode *floor_inode;
static struct uprobe *floor_uprobe;
static u64 floor_time;

static GP_UPROBE_HANDLER(floor_hit, uc, regs)
{
	return 0;
}

static GP_UPROBE_HANDLER(floor_hit_clock, uc, regs)
{
	WRITE_ONCE(floor_time, ktime_get_ns());
	return 0;
}

static GP_UPROBE_HANDLER(floor_hit_ret, uc, regs)
{
	unsigned long to;

	if (!copy_from_user_nofault(&to, (void __user *)regs->sp, sizeof(to))) {
		regs->ip = to;
		regs->sp += sizeof(to);
	}
	return 0;
}

static struct uprobe_consumer floor_consumer;

static int __init floor_init(void)
{
	int err;

	if (!path)
		return -EINVAL;
	err = kern_path(path, LOOKUP_FOLLOW, &floor_path);
	if (err)
		return err;
	floor_inode = d_real_inode(floor_path.dentry);
	floor_consumer.handler = ret ? floor_hit_ret : clock ? floor_hit_clock : floor_hit;
	err = gp_compat_register(floor_inode, offset, &floor_consumer, &floor_uprobe);
	if (err)
		path_put(&floor_path);
	return err;
}

static void __exit floor_exit(void)
{
	gp_compat_unregister(floor_inode, offset, &floor_consumer, floor_uprobe);
	gp_compat_unregister_sync();
	path_put(&floor_path);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A uprobe that does next to nothing, to measure against");
