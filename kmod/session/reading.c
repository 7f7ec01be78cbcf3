// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of a file when its server may never answer.
 *
 * The server of a file on FUSE, or on a network, answers a read when it likes. A task that waits
 * for the read in the kernel cannot even be killed. So a worker reads, and owns all that it needs:
 * the file, the memory, the module. The caller waits for the worker, and gives up when the session
 * ends or nothing has been read for GP_READING_MS. The worker then discards its result, if it ever
 * gets one.
 *
 * Context: no lock of a session is held.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "gfp.h"
#include "session/reading.h"

/* Longest time for one range. */
#define GP_READING_MS	5000

/* Workers on this host that read at once: each is a thread. */
#define GP_READING_MAX	64

static struct workqueue_struct *gp_reading_wq;
static atomic_t gp_reading_workers = ATOMIC_INIT(0);
/* Callers that wait for any reading. */
static DECLARE_WAIT_QUEUE_HEAD(gp_reading_wait);

/**
 * gp_reading_new() - prepare to read a file
 * @file: the file, open for reading
 * @nparts: number of ranges
 * @bytes: their size, together
 *
 * Return: a reading without ranges, or NULL: out of memory.
 */
struct gp_reading *gp_reading_new(struct file *file, u32 nparts, u32 bytes)
{
	struct gp_reading *r;

	r = kvzalloc(struct_size(r, part, nparts) + bytes, GP_GFP_CHARGED);
	if (!r)
		return NULL;
	kref_init(&r->ref);
	r->file = get_file(file);
	r->buffer = (u8 *)&r->part[nparts];
	return r;
}

/* Add a range; all ranges together must fit the sizes given to gp_reading_new(). */
void gp_reading_add(struct gp_reading *r, u64 offset, u32 size)
{
	struct gp_reading_part *part = &r->part[r->nparts++];

	part->offset = offset;
	part->size = size;
	part->bytes = r->buffer + r->used;
	r->used += size;
}

static void gp_reading_free(struct kref *ref)
{
	struct gp_reading *r = container_of(ref, struct gp_reading, ref);

	fput(r->file);
	kvfree(r);
}

void gp_reading_put(struct gp_reading *r)
{
	kref_put(&r->ref, gp_reading_free);
}

static void gp_reading_one(struct file *file, struct gp_reading_part *part)
{
	loff_t pos = part->offset;
	ssize_t n = part->size ? kernel_read(file, part->bytes, part->size, &pos) : 0;

	part->err = n < 0 ? n : n == part->size ? 0 : -ENODATA;
}

static void gp_reading_work(struct work_struct *work)
{
	struct gp_reading *r = container_of(work, struct gp_reading, work);
	const struct cred *before = override_creds(r->file->f_cred);
	u32 i;

	for (i = 0; i < r->nparts && !READ_ONCE(r->left); i++) {
		gp_reading_one(r->file, &r->part[i]);
		WRITE_ONCE(r->progress, jiffies);
		cond_resched();
	}
	revert_creds(before);
	/* Readers of the flag see the bytes. */
	smp_store_release(&r->done, true);
	wake_up_all(&gp_reading_wait);
	gp_reading_put(r);
	atomic_dec(&gp_reading_workers);
	module_put(THIS_MODULE);
}

static bool gp_reading_is_done(const struct gp_reading *r)
{
	/* Pairs with the store: the bytes are complete. */
	return smp_load_acquire(&r->done);
}

/* Jiffies left for the next range; 0: none. */
static long gp_reading_patience(const struct gp_reading *r)
{
	unsigned long end = READ_ONCE(r->progress) + msecs_to_jiffies(GP_READING_MS);

	return max_t(long, end - jiffies, 0);
}

/* Wait for @r->done. Return: whether it is done. */
static bool gp_reading_finish(struct gp_reading *r, const struct gp_reads *reads)
{
	long left;

	while (!gp_reading_is_done(r) && !READ_ONCE(reads->over) &&
	       (left = gp_reading_patience(r)))
		wait_event_timeout(gp_reading_wait, gp_reading_is_done(r) ||
				   READ_ONCE(reads->over), left);
	return gp_reading_is_done(r);
}

static int gp_reading_begin(struct gp_reading *r, struct gp_reads *reads, const char **why)
{
	if (reads->stuck && !gp_reading_is_done(reads->stuck)) {
		*why = "the server of a file that the session has read before does not answer";
		return -EBUSY;
	}
	gp_reads_fini(reads);
	if (atomic_inc_return(&gp_reading_workers) > GP_READING_MAX) {
		atomic_dec(&gp_reading_workers);
		*why = "too many reads wait for file servers that do not answer";
		return -EBUSY;
	}
	/* The caller's session holds a reference too. */
	__module_get(THIS_MODULE);
	kref_get(&r->ref);
	r->progress = jiffies;
	INIT_WORK(&r->work, gp_reading_work);
	queue_work(gp_reading_wq, &r->work);
	return 0;
}

/**
 * gp_reading_run() - read all ranges
 * @r: the reading; not used before
 * @reads: the session's; for one caller at a time
 * @why: error message, on error
 *
 * Return: 0: each range has its result; -ETIMEDOUT, -EBUSY, or -ESHUTDOWN if the session ends: @r
 * has no result then.
 */
int gp_reading_run(struct gp_reading *r, struct gp_reads *reads, const char **why)
{
	int err = gp_reading_begin(r, reads, why);

	if (err || gp_reading_finish(r, reads))
		return err;
	WRITE_ONCE(r->left, true);
	kref_get(&r->ref);
	reads->stuck = r;
	if (READ_ONCE(reads->over)) {
		*why = "the session has been stopped";
		return -ESHUTDOWN;
	}
	*why = "the file's server has not answered a read for 5 s";
	return -ETIMEDOUT;
}

/* The session ends: callers stop waiting for reads. */
void gp_reads_end(struct gp_reads *reads)
{
	WRITE_ONCE(reads->over, true);
	wake_up_all(&gp_reading_wait);
}

/* Context: no caller waits for a read of the session. */
void gp_reads_fini(struct gp_reads *reads)
{
	if (reads->stuck)
		gp_reading_put(reads->stuck);
	reads->stuck = NULL;
}

int gp_reading_init(void)
{
	gp_reading_wq = alloc_workqueue("goprobe-read", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return gp_reading_wq ? 0 : -ENOMEM;
}

/* Context: no reading is running: each holds a reference to the module. */
void gp_reading_fini(void)
{
	destroy_workqueue(gp_reading_wq);
}
