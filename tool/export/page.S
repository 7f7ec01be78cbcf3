/* SPDX-License-Identifier: GPL-2.0 */
/* Styles and scripts of pictures: what page.h declares, from the files beside it. */
	.macro	text name file
	.globl	\name
	.hidden	\name
\name:
	.incbin	"\file"
	.byte	0
	.endm

	.section .rodata
	text	page_js "tool/export/page.js"
	text	page_flame_css "tool/export/flame.css"
	text	page_flame_js "tool/export/flame.js"
	text	page_timeline_css "tool/export/timeline.css"
	text	page_timeline_js "tool/export/timeline.js"
	.section .note.GNU-stack, "", @progbits
