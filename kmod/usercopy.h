/* SPDX-License-Identifier: GPL-2.0 */
/* Read the current task's memory without faulting. */
#ifndef GP_USERCOPY_H
#define GP_USERCOPY_H

#include <linux/types.h>

#ifndef gp_user_copy
#include <linux/uaccess.h>

/*
 * Copy @size bytes from @address of the current task. Return: bytes not copied,
 * at the end.
 *
 * raw_copy_from_user() and not copy_from_user_nofault(): the latter asks whether
 * the destination, which is in a ring that vmap() made, may be written by a
 * usercopy, and so searches the tree of kernel mappings under a global lock for
 * each value (check_heap_object(), 5.18 and later). The caller knows its bounds.
 * Context: page faults disabled.
 */
static __always_inline u32 gp_user_copy(void *to, unsigned long address, u32 size)
{
	const void __user *from = (const void __user *)address;

	if (!access_ok(from, size))
		return size;
	return raw_copy_from_user(to, from, size);
}
#endif

#endif
