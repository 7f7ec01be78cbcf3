/* SPDX-License-Identifier: GPL-2.0 */
/* The code of the module's self-test: GOPROBE_SELF_TEST_CODE is what stands at selftest_code. */
	.text
	.globl	selftest_run, selftest_code
	.hidden	selftest_run, selftest_code
	.type	selftest_run, @function
selftest_run:
	mov	%edi, %ecx
	mov	%edi, %edx
selftest_code:
	dec	%ecx
	dec	%edx
	jnz	selftest_code
	ret
	.size	selftest_run, . - selftest_run

	.globl	selftest_call, selftest_ret
	.hidden	selftest_call, selftest_ret
	.type	selftest_call, @function
selftest_call:
	nop
selftest_ret:
	ret
	.size	selftest_call, . - selftest_call
	.section .note.GNU-stack, "", @progbits
