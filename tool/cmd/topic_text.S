/* SPDX-License-Identifier: GPL-2.0 */
/* The text of docs/expressions.md, which goprobectl help shows by topic. */
	.section .rodata
	.globl topic_text
	.hidden topic_text
topic_text:
	.incbin "docs/expressions.md"
	.byte 0
	.section .note.GNU-stack, "", @progbits
