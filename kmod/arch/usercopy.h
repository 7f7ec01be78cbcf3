/* SPDX-License-Identifier: GPL-2.0 */
/* Reads and writes of the current task's memory that never fault. */
#ifndef GP_USERCOPY_H
#define GP_USERCOPY_H

#include <linux/types.h>

#ifndef gp_user_copy
#include <linux/mutex.h>	/* used by futex.h, which does not include it on all kernels */
#include <linux/futex.h>
#include <linux/kasan-checks.h>
#include <linux/uaccess.h>
#include <asm/futex.h>

/*
 * Copy @size bytes from @address of the current task. Return: the number of bytes at the end that
 * were not copied.
 *
 * This uses raw_copy_from_user() and not copy_from_user_nofault(). The latter checks whether a
 * usercopy may write the destination, which is in a ring that vmap() made; the check searches the
 * tree of kernel mappings under a global lock for each value (check_heap_object(), 5.18 and
 * later). The caller knows its bounds. KASAN does not instrument raw copies, so the function
 * checks the bounds with KASAN explicitly.
 * Context: page faults disabled.
 */
static __always_inline u32 gp_user_copy(void *to, unsigned long address, u32 size)
{
	const void __user *from = (const void __user *)address;

	if (!access_ok(from, size))
		return size;
	kasan_check_write(to, size);
	return raw_copy_from_user(to, from, size);
}

/*
 * Write the low @size bytes (1, 2, 4, 8) of @value to @address of the current task, in one store
 * if the address is aligned. Return: whether they were written. Context: page faults disabled.
 */
static inline bool gp_user_put(unsigned long address, u64 value, u32 size)
{
	void __user *to = (void __user *)address;

	if (!user_write_access_begin(to, size))
		return false;
	switch (size) {
	case 1:
		unsafe_put_user((u8)value, (u8 __user *)to, fault);
		break;
	case 2:
		unsafe_put_user((u16)value, (u16 __user *)to, fault);
		break;
	case 4:
		unsafe_put_user((u32)value, (u32 __user *)to, fault);
		break;
	case 8:
		unsafe_put_user(value, (u64 __user *)to, fault);
		break;
	}
	user_write_access_end();
	return true;

fault:
	user_write_access_end();
	return false;
}

/*
 * Read @size bytes (1, 2, 4, 8) at @address of the current task, in one load if the address is
 * aligned. gp_user_copy() reads less than a word byte by byte, and may so return a value that
 * memory never held. Return: whether all bytes were read. Context: page faults disabled.
 */
static inline bool gp_user_get(u64 *to, unsigned long address, u32 size)
{
	const void __user *from = (const void __user *)address;
	u64 word = 0;
	u32 half;
	u16 two;
	u8 byte;

	if (!user_read_access_begin(from, size))
		return false;
	switch (size) {
	case 1:
		unsafe_get_user(byte, (const u8 __user *)from, fault);
		word = byte;
		break;
	case 2:
		unsafe_get_user(two, (const u16 __user *)from, fault);
		word = two;
		break;
	case 4:
		unsafe_get_user(half, (const u32 __user *)from, fault);
		word = half;
		break;
	case 8:
		unsafe_get_user(word, (const u64 __user *)from, fault);
		break;
	}
	user_read_access_end();
	*to = word;
	return true;

fault:
	user_read_access_end();
	return false;
}

/*
 * Whether the byte at @address of the current task can be written. A locked OR with 0 is a write
 * that changes nothing. Context: page faults disabled.
 */
static inline bool gp_user_writable(unsigned long address)
{
	u32 __user *word = (u32 __user *)(address & ~3UL);
	int old;

	return access_ok(word, sizeof(*word)) &&
	       !arch_futex_atomic_op_inuser(FUTEX_OP_OR, 0, &old, word);
}

/* Read 8 bytes at @address. Return: whether all bytes were read. */
static __always_inline bool gp_user_load(u64 *to, unsigned long address)
{
	const u64 __user *from = (const u64 __user *)address;
	u64 word;

	if (!user_read_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(word, from, fault);
	user_read_access_end();
	*to = word;
	return true;

fault:
	user_read_access_end();
	return false;
}
#else
static inline bool gp_user_load(u64 *to, unsigned long address)
{
	return !gp_user_copy(to, address, sizeof(*to));
}
#endif

#endif
